import { hash } from "node:crypto";

/** The pointer of Git LFS to content, which clients take for the file in Git. */
export interface Pointer {
  /** The size of its text in bytes. */
  readonly size: number;
  /** The id of its blob in Git: a SHA-1 in hexadecimal. */
  readonly blobId: string;
}

/** The pointer to content with a SHA-256, in hexadecimal, and a size in bytes. */
export function pointerTo(sha256: string, size: number): Pointer {
  const text = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${size}\n`;
  // ASCII, so a character is a byte.
  return { size: text.length, blobId: hash("sha1", `blob ${text.length}\0${text}`) };
}
