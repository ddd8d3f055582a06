import * as assert from "node:assert/strict";
import { S3Engine } from "../support/s3.ts";
import { reasonOf } from "./s3_suite/expectations.ts";
import { type Operation, type Outcome, Suite } from "./s3_suite/suite.ts";
import { tableOf } from "./s3_suite/table.ts";

/** Every so many of its tests. `deno task test:s3` runs all. */
const EVERY = 20;

Deno.test({
  name: "C 30 the tests of another S3 server pass, or it is known why not",
  ignore: !S3Engine.isInstalled,
  async fn() {
    await using suite = await Suite.start();
    const outcomes = new Map<Operation, Outcome[]>();
    for (const [operation, names] of await suite.tests()) {
      const own: Outcome[] = [];
      outcomes.set(operation, own);
      for (const name of names.filter((_, at) => at % EVERY === 3)) own.push(await suite.run(name));
    }
    const { passed, unexpected } = tableOf(outcomes);
    assert.deepEqual(unexpected, []);
    assert.ok(passed > 5, String(passed));
  },
});

Deno.test("a failure of the suite that nobody knows is none that is expected", () => {
  const outcome = { name: "GetObject_checksums", failure: "replied 500 to GET /s3/tree-1/a" };
  assert.equal(reasonOf(outcome), undefined);
  const { unexpected, markdown } = tableOf(new Map([["GetObject", [outcome]]]));
  assert.deepEqual(unexpected, [`${outcome.name}: ${outcome.failure}`]);
  assert.match(markdown, /\| GetObject \| 0 \| 1 \|/);
});
