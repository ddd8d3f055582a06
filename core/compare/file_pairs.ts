import { isTurnOver, takeTurn } from "../event_loop.ts";
import { compareBytewise } from "../paths.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Side } from "./sides.ts";

/** Files of a directory that are compared. */
const MAX_FILES = 10_000;

/** A file that is different, by its records on both sides: one of them may have none. */
export interface FilePair {
  /** Below the directories; of files, the name. */
  readonly path: string;
  readonly formerPath: string | null;
  readonly from: ResourceRecord | undefined;
  readonly to: ResourceRecord | undefined;
}

/** The files of both sides. */
export interface PairedFiles {
  /** Those that are different, by path. */
  readonly pairs: readonly FilePair[];
  /** How many have the same path and content. */
  readonly equal: number;
  /** Whether all files were looked at. */
  readonly isComplete: boolean;
}

/** Finds the files that are different, and those that have moved. */
export async function pairFiles(from: Side, to: Side): Promise<PairedFiles> {
  if (!from.record.isDir) return pairOfFiles(from.record, to.record);
  return pairListed(await filesOf(from), await filesOf(to));
}

/** The files of a directory by their paths below it, in order. */
export interface ListedFiles {
  readonly files: ReadonlyMap<string, ResourceRecord>;
  /** Whether there are no others. */
  readonly isComplete: boolean;
}

/** Finds the same in the files of two directories. */
export function pairListed(from: ListedFiles, to: ListedFiles): PairedFiles {
  // What a list has beyond the end of the other one may be there, too.
  const [end] = [from, to].flatMap(({ files, isComplete }) =>
    isComplete ? [] : [...files.keys()].slice(-1)
  ).sort(compareBytewise);
  const before = upTo(from, end);
  const after = upTo(to, end);
  const pairs: FilePair[] = [];
  let equal = 0;
  for (const [path, file] of after) {
    const former = before.get(path);
    if (former !== undefined && isSame(former, file)) equal++;
    else if (former !== undefined) pairs.push({ path, formerPath: null, from: former, to: file });
  }
  const removed = before.entries().filter(([path]) => !after.has(path)).toArray();
  const added = after.entries().filter(([path]) => !before.has(path)).toArray();
  pairs.push(...unpaired(removed, added));
  return {
    pairs: pairs.sort((a, b) => compareBytewise(a.path, b.path)),
    equal,
    isComplete: end === undefined,
  };
}

function upTo(
  { files }: ListedFiles,
  end: string | undefined,
): ReadonlyMap<string, ResourceRecord> {
  if (end === undefined) return files;
  return new Map(files.entries().filter(([path]) => compareBytewise(path, end) <= 0));
}

function pairOfFiles(from: ResourceRecord, to: ResourceRecord): PairedFiles {
  if (isSame(from, to)) return { pairs: [], equal: 1, isComplete: true };
  const formerPath = from.name === to.name ? null : from.name;
  return { pairs: [{ path: to.name, formerPath, from, to }], equal: 0, isComplete: true };
}

function isSame(a: ResourceRecord, b: ResourceRecord): boolean {
  return a.hash === b.hash && a.size === b.size;
}

type Named = readonly [path: string, record: ResourceRecord];

/** Files that are only in one of two: those of the same content have moved. */
function unpaired(removed: readonly Named[], added: readonly Named[]): FilePair[] {
  const left = new Map<string, Named[]>();
  for (const it of removed) {
    const { hash } = it[1];
    const same = left.get(hash);
    if (same === undefined) left.set(hash, [it]);
    else same.push(it);
  }
  const pairs = added.map(([path, to]): FilePair => {
    const [formerPath = null, from] = left.get(to.hash)?.shift() ?? [];
    return { path, formerPath, from, to };
  });
  for (const [path, from] of left.values().flatMap((it) => it)) {
    pairs.push({ path, formerPath: null, from, to: undefined });
  }
  return pairs;
}

/** The files of a directory by their paths below it. */
async function filesOf({ tree, record }: Side): Promise<ListedFiles> {
  const files = new Map<string, ResourceRecord>();
  const { userId, path: directory } = record;
  const scope = { userId, everyone: false };
  const query = { scope, recursive: true, directories: [directory], chain: [] };
  for await (const page of tree.records.list(query)) {
    for (const file of page) {
      if (isTurnOver()) await takeTurn();
      if (file.isDir) continue;
      if (files.size === MAX_FILES) return { files, isComplete: false };
      files.set(file.path.slice(directory.length + 1), file);
    }
  }
  return { files, isComplete: true };
}
