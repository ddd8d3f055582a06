/** Weak hash algorithms by the length of their digests in hexadecimal digits. */
const WEAK: ReadonlyMap<number, string> = new Map([[32, "MD5"], [40, "SHA-1"]]);

/**
 * Returns the weak hash that a value relies on for integrity, judging by its key (S1002), or undefined.
 * Commit ids are SHA-1 too, but are not used for integrity.
 */
export function weakHash(key: string, value: string): string | undefined {
  const named = /(?:^|[_.-])(md5|sha-?1)(?:$|[_.-]|sum|hash|digest)/i.exec(key)?.[1];
  const isDigest = /^[0-9a-f]+$/i.test(value);
  if (named !== undefined) return isDigest ? WEAK.get(value.length) : undefined;
  const prefixed = /^(md5|sha-?1)[:=-]([0-9a-f]{32,40})$/i.exec(value);
  if (prefixed !== null) return WEAK.get(prefixed[2]?.length ?? 0);
  if (/^(?:hash|digest|checksum)_?(?:algorithm|algo|type|func|method)$/i.test(key)) {
    return /^md5$/i.test(value) ? "MD5" : /^sha-?1$/i.test(value) ? "SHA-1" : undefined;
  }
  const isChecksum = /(?:^|[_.-])(?:checksum|digest|integrity|file_?hash)$/i.test(key);
  return isChecksum && isDigest ? WEAK.get(value.length) : undefined;
}
