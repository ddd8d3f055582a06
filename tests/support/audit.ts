import type { TestServer } from "./server.ts";

/** The lines of the audit log of a server. */
export async function auditOf(
  { dataDir }: Pick<TestServer, "dataDir">,
): Promise<Record<string, unknown>[]> {
  const text = await Deno.readTextFile(`${dataDir}/audit.log`);
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}
