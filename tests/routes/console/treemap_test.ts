import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { type Box, treemap } from "../../../routes/console/app/storage/layout.ts";

const WHOLE = { x: 10, y: 20, width: 600, height: 320 };
const area = ({ width, height }: Box) => width * height;

function overlap(a: Box, b: Box): number {
  const width = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
  const height = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
  return Math.max(0, width) * Math.max(0, height);
}

Deno.test("C 24 the areas of a treemap are in proportion, within the whole, and beside each other", () => {
  const values = fc.array(fc.integer({ min: 1, max: 1e12 }), { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(values, (given) => {
    const sorted = given.toSorted((a, b) => b - a);
    const total = sorted.reduce((sum, value) => sum + value, 0);
    const boxes = treemap(sorted, WHOLE);
    assert.equal(boxes.length, sorted.length);
    boxes.forEach((box, index) => {
      const share = (sorted[index] ?? 0) / total;
      assert.ok(Math.abs(area(box) / area(WHOLE) - share) < 1e-6);
      assert.ok(box.x >= WHOLE.x - 1e-6 && box.x + box.width <= WHOLE.x + WHOLE.width + 1e-6);
      assert.ok(box.y >= WHOLE.y - 1e-6 && box.y + box.height <= WHOLE.y + WHOLE.height + 1e-6);
      for (const other of boxes.slice(index + 1)) {
        assert.ok(overlap(box, other) < area(WHOLE) * 1e-6);
      }
    });
  }));
});

Deno.test("C 24 equal areas of a treemap are nearly squares", () => {
  const boxes = treemap(Array(8).fill(1), { x: 0, y: 0, width: 400, height: 200 });
  for (const { width, height } of boxes) {
    assert.ok(Math.max(width / height, height / width) <= 1.5, `${width} × ${height}`);
  }
});
