import * as assert from "node:assert/strict";
import { trimEnd } from "../../../../../core/scanner/readers/text/trim_end.ts";

Deno.test("removes only what matches, and only at the end", () => {
  assert.equal(trimEnd("/a//b///", /\//), "/a//b");
  assert.equal(trimEnd("a= \n==", /[\s=]/), "a");
  assert.equal(trimEnd("\0\0", /\0/), "");
  assert.equal(trimEnd("", /\0/), "");
});
