import { Buffer } from "node:buffer";
import type { StagedBlob } from "../../core/blob_store.ts";
import { AppError, quoted } from "../../core/errors.ts";

/** The digests that content is compared with, and their lengths in bytes. */
const ALGORITHMS = {
  "md5": { name: "MD5", bytes: 16 },
  "sha-256": { name: "SHA-256", bytes: 32 },
} as const;

type Algorithm = keyof typeof ALGORITHMS;

/** A digest that a client states of the content it sends. */
export interface StatedDigest {
  readonly header: string;
  readonly algorithm: Algorithm;
  /** In lower-case hex. */
  readonly hex: string;
}

/**
 * The digests in `Content-MD5` (RFC 1864), `Content-Digest` and `Repr-Digest` (RFC 9530). Those by other
 * algorithms are left out, as RFC 9530 demands.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when one is malformed.
 */
export function statedDigests(headers: Headers): StatedDigest[] {
  const md5 = headers.get("Content-MD5");
  return [
    ...(md5 === null ? [] : [digestOf("Content-MD5", "md5", md5)]),
    ...dictionaryOf(headers, "Content-Digest"),
    ...dictionaryOf(headers, "Repr-Digest"),
  ];
}

/**
 * Compares content with the digests that its client has stated.
 *
 * @throws {AppError} `ErrResourcesInvalidData` when one differs.
 */
export function verifyDigests(
  stated: readonly StatedDigest[],
  { hash, sha256 }: Pick<StagedBlob, "hash" | "sha256">,
): void {
  for (const { header, algorithm, hex } of stated) {
    const found = algorithm === "md5" ? hash : sha256;
    if (found === hex) continue;
    const { name } = ALGORITHMS[algorithm];
    throw new AppError(
      "ErrResourcesInvalidData",
      `Cannot upload: the content has the ${name} ${found}, and ${header} states ${hex}`,
    );
  }
}

/** A dictionary of byte sequences (RFC 8941), such as `sha-256=:…:, md5=:…:`. */
function dictionaryOf(headers: Headers, header: string): StatedDigest[] {
  return (headers.get(header) ?? "").split(",").flatMap((member) => {
    const [key = "", ...rest] = member.split("=");
    const algorithm = key.trim();
    if (algorithm !== "md5" && algorithm !== "sha-256") return [];
    const value = rest.join("=").trim();
    const base64 = value.startsWith(":") && value.endsWith(":") ? value.slice(1, -1) : "";
    return [digestOf(header, algorithm, base64)];
  });
}

function digestOf(header: string, algorithm: Algorithm, base64: string): StatedDigest {
  const text = base64.trim();
  const digest = Buffer.from(text, "base64");
  const { name, bytes } = ALGORITHMS[algorithm];
  if (digest.length === bytes && digest.toString("base64") === text) {
    return { header, algorithm, hex: digest.toString("hex") };
  }
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid ${header}: the ${name} ${quoted(text)} is not ${bytes} bytes in base64`,
  );
}
