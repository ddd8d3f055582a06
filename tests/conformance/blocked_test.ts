import * as assert from "node:assert/strict";
import * as v from "valibot";
import { FoundList } from "../../schemas/verdicts.ts";
import { type Client, dataOf } from "../support/client.ts";
import { modelFile } from "../support/models.ts";
import { TestServer } from "../support/server.ts";
import { settledVerdicts, statOf, verdictsOf } from "../support/verdicts.ts";

const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");

/** Whether a file is blocked, by each route that tells verdicts. */
async function blocked(client: Client, path: string): Promise<(boolean | undefined)[]> {
  const query = { q: path };
  const found = await client.send("GET", "/resources/search", { query });
  const { items: [item] } = v.parse(FoundList, dataOf(found));
  return [
    (await verdictsOf(client)).get(path)?.blocked,
    (await statOf(client, path)).verdict?.blocked,
    item?.verdict?.blocked,
  ];
}

Deno.test("C 18 verdicts tell whether the gate refuses a file now", async () => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const client = await server.as(1);
  await client.upload("", { "bad.pkl": DANGEROUS, "good.json": "{}" });
  await settledVerdicts(client);
  assert.deepEqual(await blocked(client, "bad.pkl"), [true, true, true]);
  assert.deepEqual(await blocked(client, "good.json"), [false, false, false]);
  const { sha256 } = await statOf(client, "bad.pkl");
  const admin = await server.admin();
  const waiver = await admin.json("POST", "/waivers/", { sha256, reason: "reviewed" });
  assert.equal(waiver.status, 200, waiver.text);
  assert.deepEqual(await blocked(client, "bad.pkl"), [false, false, false]);
});

Deno.test("C 18 without a gate that blocks, verdicts tell of no refusal", async () => {
  await using server = await TestServer.start({ settings: { gate: "mark" } });
  const client = await server.as(1);
  await client.upload("", { "bad.pkl": DANGEROUS });
  await settledVerdicts(client);
  assert.deepEqual(await blocked(client, "bad.pkl"), [false, false, false]);
});
