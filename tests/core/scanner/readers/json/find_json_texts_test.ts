import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { findJsonTexts } from "../../../../../core/scanner/readers/json/find_json_texts.ts";

function find(content: string): [number, string][] {
  const source = memorySource(new TextEncoder().encode(content));
  return Array.from(
    findJsonTexts(source, '"class_name"'),
    ({ position, bytes }) => [position, new TextDecoder().decode(bytes)],
  );
}

Deno.test("findJsonTexts() finds the objects that contain the word among other bytes", () => {
  const first = '{"a": {"class_name": "A"}}';
  const second = '{\n"class_name": "B"}';
  assert.deepEqual(find(`\0\x01${first} \0{"b": 1}\0\x02${second}\0`), [
    [2, first],
    [14 + first.length, second],
  ]);
});

Deno.test("findJsonTexts() finds a word across two chunks", () => {
  const text = '{"class_name": "A"}';
  const before = "\0".repeat(2 ** 20 - 5);
  assert.deepEqual(find(`${before}${text}\0`), [[before.length, text]]);
});

Deno.test("findJsonTexts() finds nothing without the word", () => {
  assert.deepEqual(find(""), []);
  assert.deepEqual(find('{"class": "name"}'), []);
});
