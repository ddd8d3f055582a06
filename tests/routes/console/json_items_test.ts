import * as assert from "node:assert/strict";
import { jsonItems } from "../../../routes/console/app/shared/json_items.ts";

/** The items of a text that arrives in pieces of some bytes. */
async function itemsOf(text: string, pieceBytes: number): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(at, at += pieceBytes));
    },
  });
  return (await Array.fromAsync(jsonItems(body))).flat();
}

Deno.test("C 24 the items of a list are read as they arrive, wherever it is cut", async () => {
  const items = [
    { name: "a", size: 1 },
    { name: '}{"],[\\', nested: { deep: [{ x: "}" }, {}], text: '\\"' } },
    { name: "ünïcödé 🔒 {", findings: [{ rule_code: null }] },
    {},
  ];
  const text = JSON.stringify({ status: "success", data: { items, total: items.length } });
  for (const pieceBytes of [1, 2, 3, 7, 16, 1000]) {
    assert.deepEqual(await itemsOf(text, pieceBytes), items, `${pieceBytes} bytes`);
  }
  assert.deepEqual(await itemsOf('{"status":"success","data":{"items":[],"total":0}}', 5), []);
});
