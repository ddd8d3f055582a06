import * as assert from "node:assert/strict";
import { entriesJson, entryOf } from "../../core/entries.ts";
import { newRecord } from "../support/seed.ts";
import { seededRandom } from "../support/random.ts";

Deno.test("RS 2 the JSON of entries has what each of them has", () => {
  const records = ["f", 'd/"quoted"', "d/\\x\u2028\u0007é", "a/b/c"].flatMap((path, index) =>
    ["", "/"].map((end) => ({
      id: index + 1,
      name: path.slice(path.lastIndexOf("/") + 1),
      ...newRecord({ path: path + end, createdAt: index, updatedAt: index * 70_000 }),
    }))
  );
  const { json, count } = entriesJson(records);
  const text = new TextDecoder().decode(json);
  assert.equal(text, records.map((record) => `,${JSON.stringify(entryOf(record))}`).join(""));
  assert.equal(count, records.length);
  assert.deepEqual(entriesJson([]), { json: new Uint8Array(), count: 0 });
});

Deno.test("C 3 times of entries are those of the records, in any order", () => {
  const random = seededRandom(20261122);
  const ends = [0, 1, 999, 59_999, 60_000, Date.UTC(2024, 1, 29), Date.UTC(9999, 11, 31, 23, 59)];
  const times = [...ends, ...Array.from({ length: 2000 }, () => random(2 ** 31) * 1500)];
  // Often within a minute, and often in another one.
  for (const [index, createdAt] of times.entries()) {
    const updatedAt = index % 2 === 0 ? createdAt + random(60_000) : times[random(index)] ?? 0;
    const entry = entryOf({ id: 1, name: "f", ...newRecord({ path: "f", createdAt, updatedAt }) });
    assert.deepEqual(
      [entry.created_at, entry.updated_at],
      [createdAt, updatedAt].map((time) => new Date(time).toISOString()),
    );
  }
});
