import * as assert from "node:assert/strict";
import { ruleOf, RULES } from "../../../../core/scanner/contract/rules.ts";

Deno.test("C 16 every rule has a reason and advice of one sentence each", () => {
  for (const [code, { title, why, advice }] of Object.entries(RULES)) {
    assert.match(code, /^S\d{3,4}$/);
    assert.ok(title.length > 0);
    assert.match(why, /^[A-Z][^.]*(\.[a-z][^.]*)*\.$/, `${code}: ${why}`);
    assert.match(advice, /^[A-Z][^.]*\.$/, `${code}: ${advice}`);
  }
  assert.equal(ruleOf("S101"), RULES.S101);
  for (const unknown of ["S000", "toString", "__proto__", "", null, undefined]) {
    assert.equal(ruleOf(unknown), undefined);
  }
});
