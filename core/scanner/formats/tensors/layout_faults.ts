/** A tensor's place in the data of a file, in bytes from their start. */
export interface TensorExtent {
  readonly name: string;
  readonly begin: number;
  readonly end: number;
}

/** A place where tensors do not touch each other. */
export interface LayoutFault {
  readonly kind: "overlap" | "hole";
  /** The tensor that begins too early or too late. */
  readonly name: string;
  /** Bytes from the start of the data. */
  readonly at: number;
  readonly bytes: number;
}

/** Finds where tensors overlap and where bytes between them belong to none. Sorts `extents`. */
export function* layoutFaults(extents: TensorExtent[]): Generator<LayoutFault, void, void> {
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
export function lastEnd(extents: readonly TensorExtent[]): number {
  return extents.reduce((last, { end }) => Math.max(last, end), 0);
}
