import { Usage } from "../../schemas/usage.ts";
import { formatBytes } from "../../schemas/units.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { verbArguments } from "./verb.ts";

/** `strongroom usage`: prints what a tree of a server holds, and what of its quota is left (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    all: { type: "boolean", default: false },
  });
  if (positionals.length > 0) throw new UsageError("usage needs no path");
  if (values.all && values.tree !== undefined) {
    throw new UsageError("--all and --tree exclude each other");
  }
  const connection = await Connection.open(values);
  const query = values.all ? { scope: "all", tree: undefined } : {};
  const usage = await connection.json(Usage, "GET", "/usage/", { query });
  print(values.json ? JSON.stringify(usage) : usageText(usage));
  return 0;
}

function usageText(usage: Usage): string {
  const { files, directories, bytes, stored_bytes: stored, uploading, quota } = usage;
  const { history_bytes: history, tagged_bytes: tagged } = usage;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Files", files.toLocaleString("en")],
    ["Directories", directories.toLocaleString("en")],
    ["Size", formatBytes(bytes)],
    ["Stored", formatBytes(stored)],
    ["Uploading", uploading === 0 ? undefined : formatBytes(uploading)],
    ["Tags", tagged === 0 ? undefined : formatBytes(tagged)],
    ["History", history === 0 ? undefined : formatBytes(history)],
    ["Quota", quota === null ? undefined : formatBytes(quota)],
    [
      "Left",
      quota === null ? undefined : formatBytes(Math.max(0, quota - bytes - uploading - tagged)),
    ],
  ];
  return facts.filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name.padEnd(13)}${value}`).join("\n");
}
