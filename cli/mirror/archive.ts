import { MirrorEntry } from "../../schemas/mirror.ts";
import { print } from "../print.ts";
import { Connection } from "../remote/connection.ts";
import { contentOf } from "../remote/reply.ts";
import { verbArguments } from "../remote/verb.ts";
import { UsageError } from "../usage_error.ts";
import { mirroredName } from "./mirrored_name.ts";
import { entryLine } from "./entry_line.ts";
import { askedRevision } from "./revisions.ts";

/** `strongroom mirror export`: writes a revision with what has come in of it to stdout. */
export async function exportTo(args: readonly string[]): Promise<number> {
  const { values, positionals: [given, ...others] } = verbArguments(args, {});
  if (given === undefined || others.length > 0) {
    throw new UsageError("mirror export needs one repository");
  }
  if (values.json) throw new UsageError("mirror export has no JSON: it writes an archive");
  if (Deno.stdout.isTerminal()) {
    throw new UsageError("mirror export writes an archive: send it to a file with >");
  }
  const named = mirroredName(given);
  const connection = await Connection.open(values);
  const { id } = await askedRevision(connection, named);
  const query = { name: named.revision ?? "main" };
  const response = await connection.request("GET", `/mirror/${id}/archive`, { query });
  for await (const chunk of contentOf(response)) {
    for (let rest = chunk; rest.length > 0;) rest = rest.subarray(await Deno.stdout.write(rest));
  }
  return 0;
}

/** `strongroom mirror import`: takes over a revision from an archive on stdin. */
export async function importFrom(args: readonly string[]): Promise<number> {
  const { values, positionals: [other] } = verbArguments(args, {});
  if (other !== undefined || Deno.stdin.isTerminal()) {
    throw new UsageError("mirror import reads an archive: send it from a file with <");
  }
  const connection = await Connection.open(values);
  const { readable } = Deno.stdin;
  const entry = await connection.json(MirrorEntry, "PUT", "/mirror-archive", {
    ...{ body: () => readable, retry: "never" },
  });
  print(values.json ? JSON.stringify(entry) : entryLine(entry));
  return 0;
}
