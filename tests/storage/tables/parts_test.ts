import * as assert from "node:assert/strict";
import { inParts, mapInParts, partsOf } from "../../../storage/tables/parts.ts";

const ITEMS = Array.from({ length: 1234 }, (_, index) => index);

Deno.test("C 22 many items travel in parts, and their results come in order", async () => {
  const sizes: number[] = [];
  const note = (part: readonly number[]) => {
    sizes.push(part.length);
    return part;
  };
  const doubled = await inParts(
    ITEMS,
    (part) => Promise.resolve(note(part).map((item) => 2 * item)),
  );
  assert.deepEqual(doubled, ITEMS.map((item) => 2 * item));
  assert.deepEqual(sizes.splice(0), [500, 500, 234]);
  const squares = await mapInParts(
    ITEMS,
    (part) => Promise.resolve(new Map(note(part).map((item) => [item, item ** 2]))),
  );
  assert.deepEqual([...squares], ITEMS.map((item) => [item, item ** 2]));
  assert.deepEqual(sizes.splice(0), [500, 500, 234]);
  assert.deepEqual((await Array.fromAsync(partsOf(ITEMS))).flat(), ITEMS);
  // None are one part, so that a call which resets something is made all the same.
  assert.deepEqual(await Array.fromAsync(partsOf([])), [[]]);
});

Deno.test("few items begin their travel at once", () => {
  let begun = 0;
  inParts([1, 2], (part) => {
    begun++;
    return Promise.resolve(part);
  });
  assert.equal(begun, 1);
});
