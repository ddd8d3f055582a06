import { quotedExcerpt } from "../../contract/excerpt.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";

/** The byte range of a tensor within the data section of a file. */
export interface TensorExtent {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** The end of the last tensor, in bytes from the start of the data section. */
export function endOfTensors(extents: readonly TensorExtent[]): number {
  return extents.reduce((last, { end }) => Math.max(last, end), 0);
}

/** Reports overlapping tensors and unused bytes between tensors. Sorts `extents`. */
export function checkTensorLayout(
  check: string,
  extents: TensorExtent[],
  checks: Checklist,
): void {
  checks.begin(check, "Tensors are contiguous and do not overlap");
  const fail = (kind: "hole" | "overlap", problem: string, at: number, bytes: number): void => {
    checks.add(check, {
      message: `${problem}, at offset ${at} of the data`,
      severity: "warning",
      ruleCode: "S902",
      details: { kind, at, bytes },
    });
  };
  extents.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let reached = 0;
  for (const { name, begin, end } of extents) {
    if (begin > reached) {
      const bytes = begin - reached;
      fail("hole", `${bytes} unused bytes precede tensor ${quotedExcerpt(name)}`, reached, bytes);
    }
    if (begin < reached && end > begin) {
      const bytes = Math.min(reached, end) - begin;
      fail(
        "overlap",
        `Tensor ${quotedExcerpt(name)} overlaps another by ${bytes} bytes`,
        begin,
        bytes,
      );
    }
    reached = Math.max(reached, end);
  }
}

/**
 * Reports bytes after the last tensor, which ends at `end` of the file.
 *
 * @returns those bytes, to be scanned as a member; undefined if there are none.
 */
export function checkTrailingData(
  check: string,
  source: ByteSource,
  end: number,
  checks: Checklist,
): ByteSource | undefined {
  checks.begin(check, "The file ends with the last tensor");
  const bytes = source.size - end;
  if (bytes === 0) return undefined;
  checks.add(check, {
    message: `${bytes} bytes follow the last tensor`,
    severity: "warning",
    position: end,
    ruleCode: "S908",
    details: { bytes },
  });
  return sourceSlice(source, end, bytes);
}
