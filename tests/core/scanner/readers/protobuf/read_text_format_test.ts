import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { MalformedError } from "../../../../../core/scanner/readers/malformed.ts";
import { readTextFormat } from "../../../../../core/scanner/readers/protobuf/read_text_format.ts";

function read(text: string): string[] {
  const source = memorySource(new TextEncoder().encode(text));
  return Array.from(
    readTextFormat(source, 1000),
    ({ path, value }) => `${path.join(".")} ${value}`,
  );
}

Deno.test("C 16 readTextFormat reads scalars, messages, lists and comments", () => {
  const text = `
    name: "a" 'b'  # a comment
    layer { type: "x", dim: [1, -2.5] ; blob < id: 7 > }
    layer: [{ type: 'y' }, < type: "z" >]
    [ext.name]: TRUE
    last: 3`;
  assert.deepEqual(read(text), [
    "name ab",
    "layer null",
    "layer.type x",
    "layer.dim 1",
    "layer.dim -2.5",
    "layer.blob null",
    "layer.blob.id 7",
    "layer null",
    "layer.type y",
    "layer null",
    "layer.type z",
    "ext.name TRUE",
    "last 3",
  ]);
});

Deno.test("C 16 readTextFormat decodes the escapes of texts", () => {
  assert.deepEqual(read(String.raw`a: "o\x73\n\163\\\"\?"`), ['a os\ns\\"?']);
});

Deno.test("C 16 readTextFormat stops where the text is not in the format", () => {
  for (const text of ["a {", "}", 'a: "b', "a: {}}", "a [ 1", "1 2 3 {{", "a: ]", '"a": 1']) {
    assert.throws(() => read(text), MalformedError, text);
  }
  assert.throws(
    () => read("a { ".repeat(200)),
    (error) => error instanceof MalformedError && error.operational,
  );
});
