import * as assert from "node:assert/strict";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { nodeOf, nodesOf } from "../../../storage/tables/history_nodes.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** Versions around which nodes differ most. */
const VERSIONS = [
  ...Array.from({ length: 20 }, (_, version) => version),
  ...[8, 16, 31, 39].flatMap((power) => [-2, -1, 0, 1, 2].map((more) => 2 ** power + more)),
];

Deno.test("C 26 a row in order is found by one of the nodes of each version that it holds for, and no two of a path by the same", async () => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  migrate(connection);
  const rows = VERSIONS.flatMap((since) =>
    VERSIONS.filter((until) => until > since).map((until) => ({ since, until }))
  );
  connection.run(
    `INSERT INTO fresh_history
     SELECT key + 1, 1, value ->> 'until', key, value ->> 'since', 'a', NULL, 'a', '', 0, 0, 1, 0, 0, 0
     FROM json_each(:rows)`,
    { rows: JSON.stringify(rows) },
  );
  connection.run("DELETE FROM fresh_history");
  const placed = connection.all(
    `SELECT since, until, node, ${nodeOf("since", "until")} AS stated FROM history`,
  ).map((row) => {
    // Many rows at once get theirs by a statement, and not by the trigger.
    assert.equal(row.stated, row.node);
    return { since: Number(row.since), until: Number(row.until), node: Number(row.node) };
  });
  assert.equal(placed.length, rows.length);
  for (const { since, until, node } of placed) {
    // Rows with the same node have that version in common, which a path has one row for.
    assert.ok(since <= node && node < until, `${since} to ${until}: ${node}`);
  }
  for (const version of VERSIONS) {
    const nodes = new Set(nodesOf(version));
    const held = placed.filter(({ since, until }) => since <= version && version < until);
    for (const { since, until, node } of held) {
      assert.ok(nodes.has(node), `${version} of ${since} to ${until}: ${node}`);
    }
  }
});
