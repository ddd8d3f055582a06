import * as v from "valibot";
import { StatEntry, type VerdictEntry, VerdictList } from "../../schemas/verdicts.ts";
import { type Client, dataOf } from "./client.ts";
import { until } from "./until.ts";

/** The verdicts on the files of a directory, by path. */
export async function verdictsOf(
  client: Client,
  path?: string,
): Promise<Map<string, VerdictEntry>> {
  const query = { path, recursive: "true" };
  const reply = await client.send("GET", "/resources/verdicts", { query });
  const { items, total } = v.parse(VerdictList, dataOf(reply));
  if (total !== items.length) throw new Error(`A total of ${total} for ${items.length} items`);
  return new Map(items.map((item) => [item.path, item]));
}

/** The files with their verdicts, such as `a.pkl dangerous`, when no scan is on its way any more. */
export async function settledVerdicts(client: Client, path?: string): Promise<string[]> {
  await until(async () =>
    [...(await verdictsOf(client, path)).values()].every(({ verdict }) => verdict !== "pending")
  );
  return [...await verdictsOf(client, path)].map(([path, { verdict }]) => `${path} ${verdict}`)
    .sort();
}

/** What is known of one record. */
export async function statOf(client: Client, path: string): Promise<StatEntry> {
  return v.parse(
    StatEntry,
    dataOf(await client.send("GET", "/resources/stat", { query: { path } })),
  );
}
