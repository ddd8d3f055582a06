import * as v from "valibot";
import { DiffEntry } from "../../schemas/history.ts";
import { printable } from "../../schemas/printable.ts";
import { printLines } from "../output.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { listItems } from "./reply.ts";
import { remoteDirectory, verbArguments, versionOption } from "./verb.ts";

const SIGNS = { added: "+", replaced: "~", moved: ">", deleted: "-" } as const;

/** `strongroom diff`: prints what is different between two versions of a tree of a server (C 26). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals: [given = "", ...others] } = verbArguments(args, {
    from: { type: "string" },
    to: { type: "string" },
  });
  if (others.length > 0) throw new UsageError(`Only one path is expected, not also "${others[0]}"`);
  const from = versionOption("--from", values.from);
  const to = versionOption("--to", values.to);
  if (from === undefined) throw new UsageError("diff needs --from: a version, a time or a tag");
  const path = remoteDirectory(given);
  const connection = await Connection.open(values);
  const query = { path, from, to };
  const response = await connection.request("GET", "/resources/diff", { query });
  async function* lines() {
    for await (const items of listItems(response)) {
      for (const entry of v.parse(v.array(DiffEntry), items)) {
        yield values.json ? JSON.stringify(entry) : diffLine(entry);
      }
    }
  }
  await printLines(lines());
  return 0;
}

function diffLine({ action, path, former_path: former, is_dir: isDirectory }: DiffEntry): string {
  const where = former === null ? path : `${former} → ${path}`;
  return `${SIGNS[action]} ${printable(where)}${isDirectory ? "/" : ""}`;
}
