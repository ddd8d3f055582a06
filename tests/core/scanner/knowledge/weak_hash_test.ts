import * as assert from "node:assert/strict";
import { weakHash } from "../../../../core/scanner/knowledge/weak_hash.ts";

Deno.test("S1002: recognizes a weak hash by its key and its length", () => {
  const [md5, sha1, sha256] = [32, 40, 64].map((length) => "9f86d081".repeat(length / 8));
  const rows: readonly (readonly [key: string, value: string | undefined, hash?: string])[] = [
    ["md5", md5, "MD5"],
    ["file_sha1", sha1, "SHA-1"],
    ["checksum", md5, "MD5"],
    ["integrity", `sha1:${sha1}`, "SHA-1"],
    ["hash_algorithm", "md5", "MD5"],
    ["checksum", sha256],
    ["_commit_hash", sha1],
    ["blob_id", sha1],
    ["md5", "not a digest"],
  ];
  for (const [key, value = "", hash] of rows) assert.equal(weakHash(key, value), hash, key);
});
