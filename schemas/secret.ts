/** Minimum length of a secret that signs credentials (C 10). */
const MIN_BYTES = 32;
/** Minimum number of characters that differ. 32 random hexadecimal digits practically never have fewer. */
const MIN_DISTINCT = 8;

/** Whether a secret is long enough. */
export function isLong(secret: string): boolean {
  return new TextEncoder().encode(secret).length >= MIN_BYTES;
}

/** Whether a secret is not one that somebody typed in for a try, such as one letter again and again. */
export function isVaried(secret: string): boolean {
  return new Set(secret).size >= MIN_DISTINCT;
}

/** What is expected of a secret. */
export const LONG_SECRET = `at least ${MIN_BYTES} bytes`;
export const STRONG_SECRET =
  `${LONG_SECRET}, with at least ${MIN_DISTINCT} different characters, such as ` +
  "the output of openssl rand -base64 32";
