import * as assert from "node:assert/strict";
import type { ListQuery } from "../../../core/ports.ts";
import { Connection } from "../../../storage/sqlite/connection.ts";
import { pathsStatement, rootStatement } from "../../../storage/sqlite/listing.ts";
import { migrate } from "../../../storage/sqlite/migrate.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** The query plan of SQLite for a listing. */
function plan(connection: Connection, query: Partial<ListQuery>): string {
  const own = { userId: 1, everyone: false };
  const whole = { scope: own, recursive: false, directories: [], chain: [], ...query };
  const { sql, parameters } = whole.directories.length === 0
    ? rootStatement(whole)
    : pathsStatement(whole);
  const isRoot = whole.directories.length === 0;
  const rows = connection.all(
    isRoot ? `EXPLAIN QUERY PLAN ${sql}` : `EXPLAIN QUERY PLAN ${sql} ORDER BY path LIMIT :limit`,
    isRoot ? { ...parameters, limit: 1 } : { ...parameters, after: "", limit: 1 },
  );
  return rows.map(({ detail }) => String(detail)).join("\n");
}

Deno.test("listings use indexes", async (t) => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  migrate(connection);
  const one = { directories: ["a/b"], chain: ["a", "a/b"] };

  await t.step("RS 4.1.3 finds direct children by an index, without reading descendants", () => {
    const steps = plan(connection, one);
    assert.match(steps, /USING INDEX records_by_parent \(parent=\? AND user_id=\? AND path>\?\)/);
    assert.doesNotMatch(steps, /SCAN records/);
  });
  await t.step("RS 4.1.7 lists the children of one directory without sorting", () => {
    const [, children = ""] = plan(connection, one).split("RIGHT");
    assert.match(children, /records_by_parent/);
    assert.doesNotMatch(children, /TEMP B-TREE/);
  });
  await t.step("RS 4.1.3 finds descendants by a range of paths, in order", () => {
    const [, below = ""] = plan(connection, { ...one, recursive: true }).split("RIGHT");
    assert.match(below, /\(user_id=\? AND path>\? AND path<\?\)/);
  });
  await t.step("RS 4.1.2 finds the children of the root by an index", () => {
    const steps = plan(connection, {});
    assert.match(steps, /records_by_parent \(parent=\? AND user_id=\?\)/);
  });
  await t.step("RS 4.1.5 lists for an administrator without scanning the table", () => {
    for (const recursive of [false, true]) {
      const scope = { userId: 1, everyone: true };
      assert.doesNotMatch(plan(connection, { ...one, scope, recursive }), /SCAN records/);
    }
  });
  await t.step("RS 4.1.1 lists several directories without scanning the table", () => {
    for (const recursive of [false, true]) {
      const several = { directories: ["a", "b"], chain: ["a", "b"], recursive };
      assert.doesNotMatch(plan(connection, several), /SCAN records/);
    }
  });
});
