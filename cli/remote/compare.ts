import { Comparison } from "../../schemas/compare.ts";
import { print } from "../print.ts";
import { printNote } from "../output.ts";
import { UsageError } from "../usage_error.ts";
import { comparisonText } from "./comparison_text.ts";
import { Connection } from "./connection.ts";
import { remotePath, verbArguments, versionOption } from "./verb.ts";

/** How long to wait before the server is asked again for weights that it reads, in milliseconds. */
const PAUSE_MS = 500;

/** One of two things to compare. */
interface Side {
  readonly path: string;
  readonly at: string | undefined;
}

/** `strongroom compare`: prints what is different between two files or directories of a server (C 29). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    "from-at": { type: "string" },
    "to-at": { type: "string" },
  });
  const { from, to } = sidesOf(positionals, values["from-at"], values["to-at"]);
  const connection = await Connection.open(values);
  const query = { from: from.path, from_at: from.at, to: to.path, to_at: to.at };
  for (let noted = 0;;) {
    const found = await connection.json(Comparison, "GET", "/resources/compare", { query });
    if (found.pending === 0) {
      print(values.json ? JSON.stringify(found) : comparisonText(found));
      return 0;
    }
    if (noted !== found.pending) {
      noted = found.pending;
      printNote(`The server reads ${noted === 1 ? "a file" : `${noted} files`} of weights…`);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** One thing is compared with what it is now. */
function sidesOf(
  [first, second, ...others]: readonly string[],
  fromAt: string | undefined,
  toAt: string | undefined,
): { readonly from: Side; readonly to: Side } {
  if (first === undefined || others.length > 0) {
    throw new UsageError("compare needs two paths, or one with a version");
  }
  const from = sideOf(first, versionOption("--from-at", fromAt));
  if (second !== undefined) return { from, to: sideOf(second, versionOption("--to-at", toAt)) };
  const last = from.path.lastIndexOf("@");
  if (from.at === undefined && last < 1) {
    throw new UsageError(`compare needs another path, or a version: "${first}@VERSION"`);
  }
  const now = from.at === undefined ? from.path.slice(0, last) : from.path;
  return { from, to: { path: now, at: versionOption("--to-at", toAt) } };
}

/** A path, which a version may follow: that may be a time, with colons. */
function sideOf(given: string, at: string | undefined): Side {
  const last = at === undefined ? given.lastIndexOf("@") : -1;
  const path = remotePath(last > 0 ? given.slice(0, last) : given);
  return { path: last > 0 ? `${path}${given.slice(last)}` : path, at };
}
