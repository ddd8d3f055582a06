import * as assert from "node:assert/strict";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { MalformedError } from "../../../../../core/scanner/readers/malformed.ts";
import { readLines } from "../../../../../core/scanner/readers/text/read_lines.ts";
import { MIB } from "../../../../../schemas/units.ts";
import { withZeros } from "../../sources.ts";

Deno.test("C 16 readLines reads lines of any length with their positions", () => {
  const long = "x".repeat(600_000);
  const source = memorySource(new TextEncoder().encode(`a\r\n\n${long}\nlast`));
  assert.deepEqual([...readLines(source)], [
    { text: "a", position: 0 },
    { text: "", position: 3 },
    { text: long, position: 4 },
    { text: "last", position: long.length + 5 },
  ]);
});

Deno.test("C 16 readLines stops at a line of more than 16 MiB", () => {
  const source = withZeros(new TextEncoder().encode("a\n"), 20 * MIB);
  assert.throws(() => [...readLines(source)], MalformedError);
});
