import * as assert from "node:assert/strict";
import { CARD, mutatedCards, wrongIn } from "./shown_cards.ts";

Deno.test("C 29 of a card, whatever it says, nothing becomes markup or is fetched", () => {
  assert.deepEqual(mutatedCards(CARD, 500, 1), []);
});

Deno.test("C 29 links of a card lead into the tree, or say where they lead", () => {
  const text =
    "[a](b.bin) [c](https://elsewhere.example) [d](javascript:e) ![f](https://g.example/h)";
  assert.deepEqual(wrongIn(text), []);
});
