import type { UnpackContext } from "../../contract/scanner.ts";
import type { Hdf5Chunk } from "../../readers/hdf5/chunks.ts";
import type { DatasetData, NamedDataset } from "../../readers/hdf5/named_datasets.ts";
import { areKnown, unfilteredChunk } from "./chunked_bytes.ts";

/**
 * The elements of a dataset in chunks, in the order that they have without chunks. Undefined if a chunk is missing, or
 * there is more than the limits allow, or a filter is not known.
 *
 * @throws {Hdf5Error} when the chunks are malformed.
 */
export function chunkedElements(
  { shape, bytes }: Pick<NamedDataset, "shape" | "bytes">,
  { layout, filters }: Extract<DatasetData, { kind: "chunks" }>,
  context: UnpackContext,
): Uint8Array | undefined {
  const chunkShape = layout.shape.slice(0, -1);
  const elementBytes = layout.shape.at(-1) ?? 0;
  const grid = shape.map((size, index) => Math.ceil(size / (chunkShape[index] ?? 0)));
  const chunkBytes = productOf(layout.shape);
  const expected = productOf(grid);
  // Chunks at the end of a dimension go beyond it.
  const work = bytes + expected * chunkBytes;
  const isSound = chunkShape.length === shape.length && Number.isSafeInteger(work) &&
    productOf(shape) * elementBytes === bytes;
  if (layout.chunks === null || !areKnown(filters) || !isSound) return undefined;
  if (bytes > context.limits.maxMemberBytes || context.reserveUnpacked(work) < work) {
    return undefined;
  }
  const elements = new Uint8Array(bytes);
  const placed = new Set<number>();
  for (const chunk of layout.chunks()) {
    const start = startOf(chunk, chunkShape, grid);
    if (start === undefined || placed.has(start.index)) return undefined;
    placed.add(start.index);
    const content = unfilteredChunk(chunk, filters, context);
    if (content.isCut === true || content.size < chunkBytes) return undefined;
    const from = { bytes: content.read(0, chunkBytes), shape: chunkShape };
    place(from, { bytes: elements, shape }, { start: start.elements, elementBytes });
  }
  return placed.size === expected ? elements : undefined;
}

function productOf(numbers: readonly number[]): number {
  return numbers.reduce((product, it) => product * it, 1);
}

/** Where a chunk starts, and which of all it is; undefined if it is at no place of a chunk. */
function startOf(
  chunk: Hdf5Chunk,
  chunkShape: readonly number[],
  grid: readonly number[],
): { readonly elements: readonly number[]; readonly index: number } | undefined {
  // The last number is an offset within an element.
  const elements = chunk.start?.().slice(0, -1);
  if (elements === undefined) return undefined;
  let index = 0;
  for (const [dimension, size] of chunkShape.entries()) {
    const at = (elements[dimension] ?? 0) / size;
    const count = grid[dimension] ?? 0;
    if (!Number.isSafeInteger(at) || at >= count) return undefined;
    index = index * count + at;
  }
  return { elements, index };
}

/** Elements, the last dimension of which changes fastest. */
interface Elements {
  readonly bytes: Uint8Array;
  readonly shape: readonly number[];
}

/** Copies the elements of a chunk that the dataset has, row by row. */
function place(
  chunk: Elements,
  dataset: Elements,
  { start, elementBytes }: { readonly start: readonly number[]; readonly elementBytes: number },
): void {
  const copy = (dimension: number, from: number, to: number): void => {
    const size = chunk.shape[dimension] ?? 1;
    const whole = dataset.shape[dimension] ?? 1;
    const first = start[dimension] ?? 0;
    const count = Math.min(size, whole - first);
    if (dimension >= chunk.shape.length - 1) {
      const begin = from * size * elementBytes;
      const row = chunk.bytes.subarray(begin, begin + count * elementBytes);
      return dataset.bytes.set(row, (to * whole + first) * elementBytes);
    }
    for (let index = 0; index < count; index++) {
      copy(dimension + 1, from * size + index, to * whole + first + index);
    }
  };
  copy(0, 0, 0);
}
