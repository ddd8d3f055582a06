import { printable } from "../../schemas/printable.ts";
import { TagEntry, TagList } from "../../schemas/tags.ts";
import { formatBytes } from "../../schemas/units.ts";
import { printLines, printNote } from "../output.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { remoteDirectory, verbArguments, versionOption } from "./verb.ts";

/** `strongroom tag`: names what is at a path of a server, or was, or lists or removes such names (C 26). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "list":
      return await list(others);
    case "remove":
      return await remove(others);
    default:
      return await add(args);
  }
}

async function add(args: string[]): Promise<number> {
  const { values, positionals: [name, given, ...others] } = verbArguments(args, {
    at: { type: "string" },
    message: { type: "string", short: "m" },
  });
  const at = versionOption("--at", values.at);
  const { message } = values;
  if (message === "") throw new UsageError('--message must be a text, not ""');
  if (!name || given === undefined || others.length > 0) {
    throw new UsageError("tag needs a name and one path");
  }
  const path = remoteDirectory(given);
  const connection = await Connection.open(values);
  const value = { name, path, at, message };
  const tag = await connection.json(TagEntry, "POST", "/tags/", { value });
  if (values.json) print(JSON.stringify(tag));
  else printNote(`Tagged ${tag.files} files of ${printable(path) || "/"} as ${printable(name)}`);
  return 0;
}

const PAGE_TAGS = 1000;

async function list(args: string[]): Promise<number> {
  const { values, positionals: [given, ...others] } = verbArguments(args, {});
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  const path = given === undefined ? undefined : remoteDirectory(given);
  const connection = await Connection.open(values);
  async function* lines() {
    let before: string | undefined;
    for (let isLast = false; !isLast;) {
      const query = { path, limit: String(PAGE_TAGS), before };
      const { items } = await connection.json(TagList, "GET", "/tags/", { query });
      yield* items.map((tag) => values.json ? JSON.stringify(tag) : tagLine(tag));
      before = items.at(-1)?.id.toString();
      isLast = items.length < PAGE_TAGS;
    }
  }
  await printLines(lines());
  return 0;
}

function tagLine({ name, path, created_at: time, size, message }: TagEntry): string {
  const at = `${time.slice(0, 10)} ${time.slice(11, 19)}`;
  const why = message === null ? "" : `  (${printable(message)})`;
  return `${at}  ${formatBytes(size).padStart(11)}  ${printable(name)}  ${
    printable(path) || "/"
  }${why}`;
}

async function remove(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  if (positionals.length === 0) throw new UsageError("tag remove needs the names of tags");
  const connection = await Connection.open(values);
  for (const name of positionals) {
    const tag = await connection.json(TagEntry, "DELETE", "/tags/", { query: { name } });
    if (values.json) print(JSON.stringify(tag));
  }
  return 0;
}
