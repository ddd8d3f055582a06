import type { Comparison, FileDifference } from "../../schemas/compare.ts";
import type { Caller } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import type { ResourceRecord } from "../ports.ts";
import { Semaphore } from "../semaphore.ts";
import type { Tree } from "../tree/changes.ts";
import { pairFiles } from "./file_pairs.ts";
import { KnownFiles } from "./known_files.ts";
import { findSide, type NamedSide, type Side } from "./sides.ts";
import type { TensorLists } from "./tensor_lists.ts";
import { TextComparisons } from "./text_comparisons.ts";
import { pairWeights } from "./weights.ts";
import { WeightsComparisons } from "./weights_comparisons.ts";

/** Different files that are reported. */
const MAX_FILES = 2000;

/** How many requests have texts or lists of tensors in memory at once, and how many of one user. Others wait. */
const READING = new Semaphore(4, 2);

/** What comparisons work with. */
export interface CompareService {
  readonly tree: Tree;
  readonly tensors: TensorLists;
}

/** A request to compare two files, or two directories (C 29). */
export interface CompareRequest {
  readonly caller: Caller;
  readonly from: NamedSide;
  readonly to: NamedSide;
  /** Aborts when the client has gone. */
  readonly signal: AbortSignal;
}

/**
 * Compares two files or directories: tensors by their digests, configurations by their keys, texts by their lines, and
 * everything else by its digest. Contents that the gate refuses are not read.
 * See docs/design/compare.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid, or one is a file and the other a directory,
 *   `ErrResourcesNotFound` when nothing is at a path, `ErrVersionsNotFound` when a version is not kept.
 * @throws the signal's reason when it aborts.
 */
export async function compare(
  { tree, tensors }: CompareService,
  request: CompareRequest,
): Promise<Comparison> {
  const { caller, signal } = request;
  const until = performance.now() + tensors.patienceMs;
  const from = await findSide(tree, caller, request.from);
  const to = await findSide(tree, caller, request.to);
  if (from.record.isDir !== to.record.isDir) throw differentKinds(from.record, to.record);
  const { pairs, equal, isComplete } = await pairFiles(from, to);
  const reported = pairs.slice(0, MAX_FILES);
  const known = await KnownFiles.of({ from, to }, reported);
  const models = pairWeights(reported);
  const permit = () => READING.acquire(signal, caller.userId);
  const weights = new WeightsComparisons({ tensors, known, until, permit });
  for (const model of models) await weights.add(model);
  const byTensors = new Set(models.flatMap(({ files }) => files));
  const texts = new TextComparisons(caller, { from, to }, known);
  const files: FileDifference[] = [];
  using _permit = await permit();
  for (const pair of reported) {
    signal.throwIfAborted();
    files.push(
      byTensors.has(pair)
        ? { ...known.difference(pair), compared: "tensors", reason: known.refusalOf(pair) }
        : await texts.difference(pair),
    );
  }
  return {
    from: shownSide(from),
    to: shownSide(to),
    equal_files: equal,
    files,
    weights: weights.found,
    pending: weights.pending,
    complete: isComplete && reported.length === pairs.length && texts.isComplete,
  };
}

function differentKinds(from: ResourceRecord, to: ResourceRecord): AppError {
  const [directory, file] = from.isDir ? [from, to] : [to, from];
  return new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot compare: ${quoted(directory.path)} is a directory, and ${quoted(file.path)} is a file`,
  );
}

function shownSide({ record: { path, isDir }, version }: Side): Comparison["from"] {
  return { path, version: version ?? null, is_dir: isDir };
}
