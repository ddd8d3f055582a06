import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";

/** Pointers are shorter than this, says the specification of Git LFS. */
const POINTER_BYTES = 1024;

const BEGINNING = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\r?\n/;

/** The scanner of pointers of Git LFS that stand where a large file should be. */
export const lfsPointerScanner: Scanner = {
  id: "git_lfs_pointer",
  matches: ({ source }) =>
    source.size < POINTER_BYTES && BEGINNING.test(decodeLatin1(source.read(0, POINTER_BYTES))),
  *scan({ source }: Content): Generator<Check, void, void> {
    const text = decodeLatin1(source.read(0, POINTER_BYTES));
    if (!BEGINNING.test(text)) return;
    const oid = /^oid sha256:([0-9a-f]{64})\r?$/m.exec(text)?.[1];
    const size = /^size (\d{1,15})\r?$/m.exec(text)?.[1];
    yield {
      name: "Git LFS Pointer",
      status: "failed",
      severity: "critical",
      ruleCode: "S902",
      message: size === undefined
        ? "A broken Git LFS pointer stands where the file should be"
        : `A Git LFS pointer stands where a file of ${size} bytes should be`,
      why: "The content was never fetched and is not checked; run `git lfs pull` and scan again",
      position: 0,
      incomplete: "git_lfs_pointer",
      details: {
        ...oid !== undefined && { sha256: oid },
        ...size !== undefined && { size: Number(size) },
      },
    };
  },
};
