import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import type { DocumentEvent } from "../../../../../core/scanner/readers/document_event.ts";
import { readJson } from "../../../../../core/scanner/readers/json/read_json.ts";
import { incompleteWords, valuesOf } from "../document_events.ts";

function read(content: string | Uint8Array, limit = Infinity): Generator<DocumentEvent> {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return readJson(memorySource(bytes), limit);
}

Deno.test("readJson() yields values with their paths, indexes and byte offsets", () => {
  const events = Array.from(
    read('{"ü": [1, "b"], "c": null}'),
    (event) =>
      event.kind === "value"
        ? [event.path.join("."), event.index, event.value, event.position]
        : [],
  );
  assert.deepEqual(events.filter((event) => event.length > 0), [
    ["ü", 0, 1, 8],
    ["ü", 1, "b", 11],
    ["c", undefined, null, 22],
  ]);
});

Deno.test("readJson() yields every value of a repeated key", () => {
  assert.deepEqual(valuesOf(read('{"a": 1, "a": 2}')), [["a", 1], ["a", 2]]);
});

Deno.test("readJson() yields the values of malformed JSON", () => {
  assert.deepEqual(valuesOf(read('{"a": 1,, "b": [NaN true}, "c": 3')), [
    ["a", 1],
    ["b", NaN],
    ["b", true],
    ["c", 3],
  ]);
});

Deno.test("readJson() stops at the limit", () => {
  assert.deepEqual(valuesOf(read('{"a": 1, "b": 2}', 8)), [["a", 1]]);
});

Deno.test("C 16 JSON that is not read to its end is inconclusive", async (t) => {
  const rows: readonly (readonly [string, Uint8Array | string, string])[] = [
    ["truncated JSON", '{"a": {"b": 1', "malformed_json"],
    ["an unclosed string", '{"a": "b', "malformed_json"],
    ["a trailing comma", '{"a": 1,}', "malformed_json"],
    ["two values", '{"a": 1} {"b": 2}', "malformed_json"],
    ["a pickle", new Uint8Array([0x80, 4, 0x4e, 0x2e]), "malformed_json"],
    ["deep nesting", "[".repeat(100_000), "nesting_too_deep"],
    ["a very long string", JSON.stringify(["a ".repeat(600_000)]), "string_too_long"],
  ];
  for (const [title, content, word] of rows) {
    await t.step(title, () => {
      const words = incompleteWords(read(content));
      assert.ok(words.includes(word), String(words));
    });
  }
});

Deno.test("C 16 comments in JSON are read, and only they allow a comma at the end", () => {
  const events = (text: string) => {
    const source = memorySource(new TextEncoder().encode(text));
    return [...readJson(source, text.length)].map((event) =>
      event.kind === "defect" ? event.incomplete : "value" in event ? event.value : event.kind
    );
  };
  assert.deepEqual(events('// a "b"\n{"k": /* c **/ 1, }'), [' a "b"', "k", " c *", 1]);
  assert.deepEqual(events('{"k": 1, }'), ["k", 1, "malformed_json"]);
  assert.deepEqual(events('{"k": 1} // end'), ["k", 1, " end"]);
  assert.deepEqual(events('{"k": "//", "l": "/*"}'), ["k", "//", "l", "/*"]);
  assert.deepEqual(events("[1, /x]"), [1, "malformed_json", "/x"]);
  assert.deepEqual(events("/* open"), [" open"]);
});
