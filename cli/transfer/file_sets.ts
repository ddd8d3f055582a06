import type { FileComparison, ListedFile, Side } from "../../storage/disk/file_comparison.ts";
import type { Selection } from "./selection.ts";

/**
 * What a transfer copies: paths on the side it copies from, by their names in the directory that it
 * copies to. The name "" stands for that directory itself.
 */
export type Sources = ReadonlyMap<string, string>;

/** A path below a directory; "" is the directory itself. */
export function below(directory: string, path: string): string {
  if (path === "") return directory;
  return directory === "" ? path : `${directory}/${path}`;
}

/** Where the source of a file is. */
export function locate(sources: Sources, path: string): string {
  const whole = sources.get("");
  if (whole !== undefined) return below(whole, path);
  const [name = "", ...rest] = path.split("/");
  const root = sources.get(name);
  if (root === undefined) throw new Error(`Nothing is copied to "${path}"`);
  return below(root, rest.join("/"));
}

export interface ListOptions {
  readonly comparison: FileComparison;
  readonly side: Side;
  readonly selection: Selection;
  /** Gets what cannot be listed. */
  fail(path: string, error: unknown): void;
}

/** The parts of a list that are added at a time. */
const BATCH_FILES = 1000;

/** Adds a list to a side of a comparison. */
export async function addAll(
  { comparison, side }: ListOptions,
  files: AsyncIterable<ListedFile>,
): Promise<void> {
  let batch: ListedFile[] = [];
  for await (const file of files) {
    if (batch.push(file) < BATCH_FILES) continue;
    comparison.add(side, batch);
    batch = [];
  }
  comparison.add(side, batch);
}
