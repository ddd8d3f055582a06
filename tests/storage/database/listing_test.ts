import * as assert from "node:assert/strict";
import type { ListQuery } from "../../../core/ports.ts";
import { Connection } from "../../../storage/database/connection.ts";
import { listStatement } from "../../../storage/database/listing.ts";
import { migrate } from "../../../storage/database/migrate.ts";
import { TempDir } from "../../support/temp_dir.ts";

/** How SQLite goes about a listing. */
function plan(connection: Connection, query: Partial<ListQuery>): string {
  const own = { userId: 1, everyone: false };
  const whole = { scope: own, recursive: false, directories: [], chain: [], ...query };
  const { sql, parameters } = listStatement(whole);
  const rows = connection.all(`EXPLAIN QUERY PLAN ${sql}`, parameters);
  return rows.map(({ detail }) => String(detail)).join("\n");
}

Deno.test("listing() goes about its work by indexes", async (t) => {
  await using directory = await TempDir.make();
  using connection = new Connection(`${directory.path}/test.db`, { readOnly: false });
  migrate(connection);
  const one = { directories: ["a/b"], chain: ["a", "a/b"] };

  await t.step("RS 4.1.3 direct children come from an index, whatever lies deeper", () => {
    const steps = plan(connection, one);
    assert.match(steps, /records USING INDEX records_by_parent \(parent=\? AND user_id=\?\)/);
    assert.doesNotMatch(steps, /SCAN records|path>/);
  });
  await t.step("RS 4.1.7 the children of one directory need no sorting", () => {
    const [, children = ""] = plan(connection, one).split("RIGHT");
    assert.match(children, /records_by_parent/);
    assert.doesNotMatch(children, /TEMP B-TREE/);
  });
  await t.step("RS 4.1.3 descendants come from a range of paths, in order", () => {
    const [, below = ""] = plan(connection, { ...one, recursive: true }).split("RIGHT");
    assert.match(below, /\(user_id=\? AND path>\? AND path<\?\)/);
  });
  await t.step("RS 4.1.2 the root's children come from an index", () => {
    const steps = plan(connection, {});
    assert.match(steps, /records_by_parent \(parent=\? AND user_id=\?\)/);
  });
  await t.step("RS 4.1.5 an administrator's listings scan nothing either", () => {
    for (const recursive of [false, true]) {
      const scope = { userId: 1, everyone: true };
      assert.doesNotMatch(plan(connection, { ...one, scope, recursive }), /SCAN records/);
    }
  });
  await t.step("RS 4.1.1 several directories scan nothing either", () => {
    for (const recursive of [false, true]) {
      const several = { directories: ["a", "b"], chain: ["a", "b"], recursive };
      assert.doesNotMatch(plan(connection, several), /SCAN records/);
    }
  });
});
