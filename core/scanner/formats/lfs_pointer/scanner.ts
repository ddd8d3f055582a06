import type { Check, Content, Scanner } from "../../contract/scanner.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";

/** The Git LFS specification requires pointers to be shorter than this. */
const MAX_POINTER_BYTES = 1024;

const FIRST_LINE = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v1\r?\n/;

/** Reports Git LFS pointers that were committed or downloaded instead of the file. */
export const lfsPointerScanner: Scanner = {
  id: "git_lfs_pointer",
  matches: ({ source }) =>
    source.size < MAX_POINTER_BYTES &&
    FIRST_LINE.test(decodeLatin1(source.read(0, MAX_POINTER_BYTES))),
  *scan({ source }: Content): Generator<Check, void, void> {
    const text = decodeLatin1(source.read(0, MAX_POINTER_BYTES));
    if (!FIRST_LINE.test(text)) return;
    const oid = /^oid sha256:([0-9a-f]{64})\r?$/m.exec(text)?.[1];
    const size = /^size (\d{1,15})\r?$/m.exec(text)?.[1];
    yield {
      name: "Git LFS Pointer",
      status: "failed",
      severity: "critical",
      ruleCode: "S902",
      message: size === undefined
        ? "Broken Git LFS pointer instead of the file"
        : `Git LFS pointer instead of the file of ${size} bytes`,
      why: "The content was not downloaded and is not checked; run `git lfs pull` and scan again",
      position: 0,
      incomplete: "git_lfs_pointer",
      details: {
        ...oid !== undefined && { sha256: oid },
        ...size !== undefined && { size: Number(size) },
      },
    };
  },
};
