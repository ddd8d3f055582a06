import { nameOf } from "../../core/paths.ts";
import { UsageError } from "../usage_error.ts";
import { bodyBatches } from "./batches.ts";
import { printCount, readChanged } from "./changed_entries.ts";
import { Connection } from "./connection.ts";
import { remoteDirectory, remotePath, verbArguments } from "./verb.ts";

const ROUTES = {
  mv: { method: "PUT", path: "/resources/move", verb: "Moved" },
  cp: { method: "POST", path: "/resources/copy", verb: "Copied" },
} as const;

/** `strongroom mv` and `strongroom cp`: move and copy within a tree of a server (C 25). */
export async function moveOrCopy(command: keyof typeof ROUTES, args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {
    force: { type: "boolean", short: "f", default: false },
  });
  const given = positionals.at(-1);
  const sources = positionals.slice(0, -1).map(remotePath);
  if (given === undefined || sources.length === 0) {
    throw new UsageError(`${command} needs one source or more, and a destination`);
  }
  const destination = destinationOf(given);
  const connection = await Connection.open(values);
  const { method, path, verb } = ROUTES[command];
  let count = 0;
  for (const part of partsOf(sources, destination)) {
    const value = { ...part, force: values.force };
    const response = await connection.request(method, path, {
      body: () => JSON.stringify(value),
      headers: { "Content-Type": "application/json" },
    });
    count += await readChanged(response, values);
  }
  if (!values.json) printCount(verb, count);
  return 0;
}

/** Sources for several requests, and where those move or copy them. */
function partsOf(
  sources: readonly string[],
  destination: string,
): { readonly sources: readonly string[]; readonly destination: string }[] {
  // The server does not take the root for a directory to move into.
  return destination === ""
    ? sources.map((source) => ({ sources: [source], destination: nameOf(source) }))
    : bodyBatches(sources).map((batch) => ({ sources: batch, destination }));
}

/** A slash at the end says that it is a directory. */
function destinationOf(given: string): string {
  const path = remoteDirectory(given);
  return path !== "" && /[/\\]\s*$/.test(given) ? `${path}/` : path;
}
