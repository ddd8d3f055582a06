import { ResourceEntry } from "../../schemas/resources.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { Connection } from "./connection.ts";
import { remoteDirectory, remotePath, verbArguments } from "./verb.ts";

/** `strongroom mkdir`: makes directories of a server, with those above them (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  if (positionals.length === 0) throw new UsageError("mkdir needs one path or more");
  // The root is there.
  const paths = positionals.filter((it) => it === "" || remoteDirectory(it) !== "").map(remotePath);
  const connection = await Connection.open(values);
  for (const path of paths) {
    const entry = await connection.json(ResourceEntry, "POST", "/resources/mkdir", {
      value: { path },
      retry: "always",
    });
    if (values.json) print(JSON.stringify(entry));
  }
  return 0;
}
