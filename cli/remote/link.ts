import * as v from "valibot";
import { TimeToLive } from "../../schemas/credentials.ts";
import { LinkEntry, LinkList, MAX_LINK_SECONDS, NewLinkEntry } from "../../schemas/links.ts";
import { printable } from "../../schemas/printable.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { printLines, printNote } from "../output.ts";
import { onlyPath, verbArguments } from "./verb.ts";

/** `strongroom link`: makes, lists or revokes links that need no credential (C 25). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "list":
      return await list(others);
    case "revoke":
      return await revoke(others);
    default:
      return await make(args);
  }
}

async function make(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    expires: { type: "string", default: "7d" },
    once: { type: "boolean", default: false },
  });
  const path = onlyPath("link", positionals);
  const { expires } = values;
  const seconds = v.safeParse(TimeToLive, expires);
  if (!seconds.success || seconds.output > MAX_LINK_SECONDS) {
    throw new UsageError(
      `--expires must be a duration up to 30d such as 90s, 15m, 1h or 7d, not "${expires}"`,
    );
  }
  const connection = await Connection.open(values);
  const value = { path, expires_in: expires, once: values.once };
  const link = await connection.json(NewLinkEntry, "POST", "/links/", { value });
  print(values.json ? JSON.stringify(link) : printable(link.url));
  const { id, expires_at: end } = link;
  printNote(`Link ${id} is valid until ${end}; strongroom link revoke ${id} ends it`);
  return 0;
}

const PAGE_LINKS = 1000;

async function list(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  if (positionals.length > 0) throw new UsageError("link list needs no path");
  const connection = await Connection.open(values);
  const lineOf = values.json ? JSON.stringify : linkLine;
  async function* lines() {
    let before: string | undefined;
    for (let isLast = false; !isLast;) {
      const query = { limit: String(PAGE_LINKS), before };
      const { items } = await connection.json(LinkList, "GET", "/links/", { query });
      yield* items.map((link) => lineOf(link));
      before = items.at(-1)?.id.toString();
      isLast = items.length < PAGE_LINKS;
    }
  }
  await printLines(lines());
  return 0;
}

function linkLine(link: v.InferOutput<typeof LinkList>["items"][number]): string {
  const { id, status, once, path, jti, expires_at: expiresAt } = link;
  const kind = once ? "once" : "many times";
  return `${String(id).padStart(6)}  ${status.padEnd(6)}  until ${expiresAt}  ${kind.padEnd(10)}  ${
    printable(path)
  }${jti === null ? "" : `  made with ${printable(jti)}`}`;
}

const Id = v.pipe(v.string(), v.regex(/^[1-9]\d{0,15}$/));

async function revoke(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  const wrong = positionals.find((it) => !v.is(Id, it));
  if (positionals.length === 0 || wrong !== undefined) {
    const instead = wrong === undefined ? "" : `, not "${wrong}"`;
    throw new UsageError(
      `link revoke needs the ids of links, as strongroom link list prints them${instead}`,
    );
  }
  const connection = await Connection.open(values);
  for (const id of positionals) {
    const link = await connection.json(LinkEntry, "DELETE", `/links/${id}`);
    if (values.json) print(JSON.stringify(link));
  }
  return 0;
}
