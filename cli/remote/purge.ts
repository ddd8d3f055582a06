import { UsageError } from "../usage_error.ts";
import { printCount, readChanged } from "./changed_entries.ts";
import { Connection } from "./connection.ts";
import { verbArguments } from "./verb.ts";

/** `strongroom purge`: removes a content from all trees of a server and all of their versions (C 26). */
export async function run(args: string[]): Promise<number> {
  const { values, positionals } = verbArguments(args, { sha256: { type: "string" } });
  const sha256 = values.sha256?.toLowerCase() ?? "";
  if (positionals.length > 0 || !/^[0-9a-f]{64}$/.test(sha256)) {
    const given = values.sha256 === undefined ? "" : `, not "${values.sha256}"`;
    throw new UsageError(
      `purge needs --sha256 with the 64 hexadecimal digits of a content${given}`,
    );
  }
  if (values.tree !== undefined) {
    throw new UsageError("purge is about all trees: it takes no --tree");
  }
  const connection = await Connection.open(values);
  const response = await connection.request("POST", "/resources/purge", {
    body: () => JSON.stringify({ sha256 }),
    headers: { "Content-Type": "application/json" },
  });
  const count = await readChanged(response, values);
  if (!values.json) printCount("Deleted", count);
  return 0;
}
