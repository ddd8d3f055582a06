import { MAX_TARGETS } from "../../core/paths.ts";

/** What a request may be long, so that no proxy refuses it. */
const MAX_QUERY_BYTES = 6000;
/** The server takes a body of 1 MiB. */
const MAX_BODY_BYTES = 900_000;

/** Paths for several requests: each within the limits of a query (C 3). */
export function queryBatches(paths: readonly string[]): string[][] {
  return batches(paths, (path) => encodeURIComponent(path).length + 9, MAX_QUERY_BYTES);
}

/**
 * Paths for several requests: each within the limits of a JSON body, and none with one path alone if there
 * are several, as a move of one source means something else.
 */
export function bodyBatches(paths: readonly string[]): string[][] {
  const all = batches(paths, (path) => 6 * path.length + 3, MAX_BODY_BYTES);
  const [last, previous] = [all.at(-1), all.at(-2)];
  if (last?.length === 1 && previous !== undefined) last.unshift(...previous.splice(-1));
  return all;
}

function batches(
  paths: readonly string[],
  bytesOf: (path: string) => number,
  maxBytes: number,
): string[][] {
  const all: string[][] = [];
  let bytes = 0;
  for (const path of paths) {
    const batch = all.at(-1);
    const added = bytesOf(path);
    if (batch === undefined || batch.length >= MAX_TARGETS || bytes + added > maxBytes) {
      all.push([path]);
      bytes = added;
    } else {
      batch.push(path);
      bytes += added;
    }
  }
  return all;
}
