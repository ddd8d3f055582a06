/**
 * `deno task trips`: counts how often requests wait for PostgreSQL, and writes the table of
 * docs/guides/scaling.md. Needs PostgreSQL and versitygw.
 */

import { fileURLToPath } from "node:url";
import { Postgres } from "../../support/postgres.ts";
import { S3Engine } from "../../support/s3.ts";
import { countTrips, type TripCount } from "../../support/trip_counts.ts";

const PATH = fileURLToPath(new URL("../../../docs/guides/scaling.md", import.meta.url));
/** The last line before the table. */
const BEFORE = "`deno task trips` writes this table:\n\n";

/** The document with a table of what was counted. */
export function withTrips(
  markdown: string,
  inFiles: readonly TripCount[],
  inObjects: readonly TripCount[],
): string {
  const start = markdown.indexOf(BEFORE) + BEFORE.length;
  const rows = inFiles.map(({ request, trips, statements }, index) => [
    request,
    trips,
    inObjects[index]?.trips ?? "–",
    statements,
  ]);
  const head = ["Request", "Round trips, content in files", "in objects", "Statements"];
  const table = [head, ["---", "---:", "---:", "---:"], ...rows]
    .map((cells) => `| ${cells.join(" | ")} |\n`).join("");
  return markdown.slice(0, start) + table + markdown.slice(markdown.indexOf("\n\n", start) + 1);
}

if (import.meta.main) {
  await using engine = await Postgres.start();
  await using store = await S3Engine.start();
  const inFiles = await countTrips(engine);
  const inObjects = await countTrips(engine, store.content(store.contentUrl()));
  await Deno.writeTextFile(PATH, withTrips(await Deno.readTextFile(PATH), inFiles, inObjects));
  const formatted = await new Deno.Command(Deno.execPath(), { args: ["fmt", "-q", PATH] }).output();
  if (!formatted.success) throw new Error("deno fmt failed");
}
