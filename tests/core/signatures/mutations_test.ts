import * as assert from "node:assert/strict";
import { parseManifest } from "../../../core/signatures/manifest.ts";
import { InvalidSignature } from "../../../core/signatures/trusted.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import { signatureFile, trusted } from "../../support/signatures.ts";

/** A bundle is verified for each trusted key, which takes its time. */
const BUNDLE_MUTATIONS = 500;
const STATEMENT_MUTATIONS = 5000;
const BUNDLES = ["p256", "p384", "certificate", "chain_unordered", "expired", "shards"];

/** Bytes with some of them replaced, removed, repeated or cut off. */
function mutated(bytes: Uint8Array, random: Random): Uint8Array {
  const at = random(bytes.length);
  const end = Math.min(bytes.length, at + 1 + random(8));
  switch (random(4)) {
    case 0: {
      const copy = bytes.slice();
      copy[at] = random(256);
      return copy;
    }
    case 1:
      return Uint8Array.from([...bytes.subarray(0, at), ...bytes.subarray(end)]);
    case 2:
      return Uint8Array.from([...bytes.subarray(0, end), ...bytes.subarray(at)]);
    default:
      return bytes.slice(0, at);
  }
}

/** A copy of a JSON value, with one of its texts mutated: what is Base64 is so below that, too. */
function mutatedText(value: unknown, random: Random): unknown {
  const texts: ((changed: string) => void)[] = [];
  const found: string[] = [];
  const visit = (it: unknown): void => {
    if (typeof it !== "object" || it === null) return;
    for (const [key, inner] of Object.entries(it)) {
      if (typeof inner === "string") {
        found.push(inner);
        texts.push((changed) => Reflect.set(it, key, changed));
      } else visit(inner);
    }
  };
  const copy: unknown = structuredClone(value);
  visit(copy);
  const index = random(found.length);
  const text = found[index] ?? "";
  const isEncoded = /^[A-Za-z0-9+/]{40,}={0,2}$/.test(text);
  const bytes = isEncoded ? Uint8Array.fromBase64(text) : new TextEncoder().encode(text);
  const changed = mutated(bytes, random);
  texts[index]?.(isEncoded ? changed.toBase64() : new TextDecoder().decode(changed));
  return copy;
}

Deno.test("C 29 mutated bundles never sign anything else, and are refused for a reason", async () => {
  const signers = await trusted();
  const bundles = await Promise.all(BUNDLES.map((it) => signatureFile(`${it}.sig`)));
  const random = seededRandom(29);
  const encoder = new TextEncoder();
  let refused = 0;
  for (let index = 0; index < BUNDLE_MUTATIONS; index++) {
    const bundle = bundles[index % bundles.length] ?? "";
    const parsed: { dsseEnvelope: { payload: string } } = JSON.parse(bundle);
    const content = index % 3 === 0
      ? mutated(encoder.encode(bundle), random)
      : encoder.encode(JSON.stringify(mutatedText(parsed, random)));
    try {
      const { statement } = signers.verify(content);
      assert.equal(statement.toBase64(), parsed.dsseEnvelope.payload);
      parseManifest(statement);
    } catch (error) {
      assert.ok(error instanceof InvalidSignature, `mutation ${index}: ${error}`);
      assert.notEqual(error.message, "");
      refused++;
    }
  }
  assert.ok(refused > BUNDLE_MUTATIONS / 2, `${refused} are refused`);
});

Deno.test("C 29 mutated statements are manifests or refused for a reason", async () => {
  const bundle: { dsseEnvelope: { payload: string } } = JSON.parse(await signatureFile("p256.sig"));
  const statement = Uint8Array.fromBase64(bundle.dsseEnvelope.payload);
  const random = seededRandom(30);
  for (let index = 0; index < STATEMENT_MUTATIONS; index++) {
    try {
      parseManifest(mutated(statement, random));
    } catch (error) {
      assert.ok(error instanceof InvalidSignature, `mutation ${index}: ${error}`);
    }
  }
});
