import * as assert from "node:assert/strict";
import { isShortToken, newShortToken } from "../../core/short_credentials.ts";

Deno.test("C 31 a short token is hf_ and 37 letters and digits, with a checksum", () => {
  const tokens = Array.from({ length: 300 }, newShortToken);
  for (const token of tokens) {
    assert.match(token, /^hf_[A-Za-z0-9]{37}$/);
    assert.ok(isShortToken(token));
  }
  assert.equal(new Set(tokens).size, tokens.length);
  // Each letter and digit is used, in each of the places.
  for (let place = 3; place < 40; place++) {
    assert.ok(new Set(tokens.map((token) => token[place])).size > 50, String(place));
  }
});

Deno.test("C 31 a mistyped short token is known by its checksum", () => {
  const token = newShortToken();
  for (let place = 0; place < token.length; place++) {
    const other = token[place] === "a" ? "b" : "a";
    assert.equal(isShortToken(token.slice(0, place) + other + token.slice(place + 1)), false);
  }
  for (const other of ["", "hf_", token.slice(1), token.slice(0, -1), `${token}a`, ` ${token}`]) {
    assert.equal(isShortToken(other), false);
  }
});
