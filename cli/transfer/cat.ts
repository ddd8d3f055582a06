import { Connection } from "../remote/connection.ts";
import { remotePath, verbArguments } from "../remote/verb.ts";
import { UsageError } from "../usage_error.ts";
import { writeToStdout } from "./stdout.ts";
import { Throttle } from "../../core/throttle.ts";

/** `strongroom cat`: writes files of a server to stdout, one after the other (C 25). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, {});
  const paths = positionals.map(remotePath);
  if (paths.length === 0) throw new UsageError("cat needs one path or more");
  if (values.json) throw new UsageError("cat has no JSON: it prints what files have");
  const connection = await Connection.open(values);
  for (const path of paths) {
    if (!await writeToStdout(connection, path, new Throttle())) break;
  }
  return 0;
}
