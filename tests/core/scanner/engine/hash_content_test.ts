import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { memorySource } from "../../../../core/scanner/contract/source.ts";
import { scan, source } from "./fake_scanners.ts";

Deno.test("SR 2.6 scanFile() hashes content block by block and reports its progress", () => {
  const bytes = new Uint8Array(2 * 2 ** 20 + 5).map((_, index) => index * 31);
  const progress: number[] = [];
  const result = scan(memorySource(bytes), [], { onProgress: (done) => progress.push(done) });
  const blocks = Array.from({ length: 8 }, (_, i) => (i + 1) * 2 ** 18);
  assert.deepEqual(progress, [...blocks, bytes.length]);
  assert.equal(result.size, bytes.length);
  for (const name of ["md5", "sha1", "sha256", "sha512"] as const) {
    assert.equal(result.hashes[name], createHash(name).update(bytes).digest("hex"));
  }
  const prefix = createHash("sha256").update(bytes.subarray(0, 2 ** 20)).digest("hex");
  assert.equal(result.hashes.sha256_prefix, prefix);
});

Deno.test("SR 2.6, C 31 scanFile() hashes large content with what is needed: SHA-256, and MD5 on request", () => {
  const digestsOf = (size: number, needsMd5?: boolean) => {
    const { hashes } = scan(memorySource(new Uint8Array(size)), [], { needsMd5 });
    return Object.keys(hashes).sort().join(" ");
  };
  const limit = 16 * 2 ** 20;
  assert.equal(digestsOf(limit), "md5 sha1 sha256 sha256_prefix sha512");
  assert.equal(digestsOf(limit + 1), "sha256 sha256_prefix");
  assert.equal(digestsOf(limit + 1, true), "md5 sha256 sha256_prefix");
});

Deno.test("scanFile() throws if the content is shorter than its size", () => {
  const short = { ...source("abc"), size: 10 };
  assert.throws(() => scan(short, []), /ends at 3 of 10/);
});
