import type { TensorEntry } from "./entry.ts";

/** A tensor's place in the data, in bytes from their start. */
export interface Extent {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** A place where the tensors do not touch each other. */
export interface LayoutFault {
  readonly kind: "overlap" | "hole";
  /** The tensor that begins too early or too late. */
  readonly name: string;
  readonly at: number;
  readonly bytes: number;
}

/** The place of a tensor, or undefined where it is not within `dataSize` bytes. */
export function extentOf(name: string, entry: TensorEntry, dataSize: number): Extent | undefined {
  if (entry.end < entry.begin || entry.end > BigInt(dataSize)) return undefined;
  return { name, begin: Number(entry.begin), end: Number(entry.end) };
}

/** Finds where tensors overlap and where bytes between them belong to none. Sorts `extents`. */
export function* layoutFaults(extents: Extent[]): Generator<LayoutFault, void, void> {
  extents.sort((a, b) => a.begin - b.begin || a.end - b.end);
  let reached = 0;
  for (const { name, begin, end } of extents) {
    if (begin > reached) yield { kind: "hole", name, at: reached, bytes: begin - reached };
    if (begin < reached && end > begin) {
      yield { kind: "overlap", name, at: begin, bytes: Math.min(reached, end) - begin };
    }
    reached = Math.max(reached, end);
  }
}

/** Where the last tensor ends. */
export function lastEnd(extents: readonly Extent[]): number {
  return extents.reduce((last, { end }) => Math.max(last, end), 0);
}
