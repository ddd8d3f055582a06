import * as assert from "node:assert/strict";
import type { Finding } from "../../../../../core/scanner/contract/checklist.ts";
import { SecretSearch } from "../../../../../core/scanner/knowledge/secrets/secret_search.ts";
import { chars, HEX, SECRETS } from "./sample_secrets.ts";

function search(
  texts: readonly (readonly [text: string, position: number, name?: string])[],
): Finding[] {
  const found: Finding[] = [];
  const secrets = new SecretSearch("A text", (finding) => found.push(finding));
  for (const text of texts) secrets.add(...text);
  secrets.finish();
  return found;
}

Deno.test("S701 to S709: every kind of credential is found among short texts", async (t) => {
  for (const [secret, kind, ruleCode] of SECRETS) {
    await t.step(`${kind} ${secret.slice(0, 10)}`, () => {
      const found = search([["before", 1], [secret, 2], ["after it", 3]]);
      assert.deepEqual(found.map((it) => [it.details?.kind, it.ruleCode, it.position]), [
        [kind, ruleCode, 2],
      ]);
    });
  }
});

Deno.test("S701: a credential keeps the position of its text in every batch", () => {
  const [secret = ""] = SECRETS.find(([, kind]) => kind === "GitHub token") ?? [];
  const words = Array.from({ length: 30_000 }, (_, i) => [`some word ${i}`, i] as const);
  const texts = words.map(([text, i]) => [i % 9999 === 7 ? secret : text, i] as const);
  assert.deepEqual(search(texts).map(({ position }) => position), [7, 10_006, 20_005]);
});

Deno.test("S701: the name of a text tells that it is a credential", () => {
  const key = chars(40, HEX);
  assert.deepEqual(search([[key, 5, "WANDB_API_KEY"]]).map(({ position }) => position), [5]);
  assert.deepEqual(search([[key, 5, "commit"], [key, 6]]), []);
  assert.deepEqual(search([[`WANDB_API_KEY=${key}`, 9]]).map(({ position }) => position), [9]);
});
