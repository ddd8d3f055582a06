import * as assert from "node:assert/strict";
import { HUB_VERSIONS } from "../support/hub_clients.ts";
import { drive, hubClients, type Outcome } from "./matrix/clients.ts";
import { isExpected } from "./matrix/expectations.ts";
import { matrixOf } from "./matrix/table.ts";

/** Command lines take the most time; other tests run them, and `deno task test:hub` runs all. */
const SHORT = /(?:reading|writing|file_system)\.py$/;

if (HUB_VERSIONS.length === 0) {
  Deno.test({
    name: "C 20, 31 calls of clients of the hub (huggingface_hub is not installed)",
    ignore: true,
    fn() {},
  });
}
for (const version of HUB_VERSIONS) {
  Deno.test(`C 20, 31 calls of huggingface_hub ${version.version} work, or say why not`, async () => {
    const clients = hubClients(version).filter(({ command }) => SHORT.test(command[1] ?? ""));
    const { calls, unexpected } = matrixOf(await drive(clients));
    assert.equal(unexpected.join("\n"), "");
    assert.ok(calls > 100, String(calls));
  });
}

Deno.test("a call that fails without the expected words is unexpected", () => {
  const refused = { call: "like", outcome: "refused" } as const;
  assert.ok(isExpected("2.4.0", { ...refused, words: 'Not offered here: "/like"' }));
  assert.ok(!isExpected("2.4.0", { ...refused, words: "check your connection" }));
  assert.ok(!isExpected("2.4.0", { call: "like", outcome: "works", words: "" }));
  const metadata: Outcome = {
    call: "metadata update",
    outcome: "refused",
    words: "ConnectError: no such name",
  };
  assert.deepEqual(["1.0.1", "2.4.0"].map((name) => isExpected(name, metadata)), [true, false]);
  const like: Outcome = { call: "like", outcome: "not there", words: "" };
  const outcomes = new Map([["2.4.0", [metadata, like]]]);
  const { calls, unexpected, table } = matrixOf(outcomes);
  assert.deepEqual([calls, unexpected], [1, [
    "2.4.0: metadata update: ConnectError: no such name",
  ]]);
  assert.equal(table, " 2.4.0\n !  metadata update\n .  like");
});
