/** What the scanner uses of `node:crypto`: that of the runtime, or hash functions in JavaScript. */

import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { builtin } from "./builtin.ts";

const HASHES = { md5, sha1, sha256, sha512 };

class Hash {
  readonly #hash;

  constructor(algorithm: keyof typeof HASHES) {
    this.#hash = HASHES[algorithm].create();
  }

  update(content: Uint8Array | string): this {
    this.#hash.update(typeof content === "string" ? new TextEncoder().encode(content) : content);
    return this;
  }

  digest(_encoding: "hex"): string {
    return Array.from(this.#hash.digest(), (it) => it.toString(16).padStart(2, "0")).join("");
  }
}

export const createHash = builtin("node:crypto")?.createHash ??
  ((algorithm: keyof typeof HASHES) => new Hash(algorithm));
