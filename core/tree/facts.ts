import type { Facts } from "../../schemas/facts.ts";
import { MIB } from "../../schemas/units.ts";
import { isTurnOver, takeTurn } from "../event_loop.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { FactsTogether, type FileFacts } from "./facts_together.ts";
import { onlyTarget, type TargetRequest } from "./targets.ts";

/** Files of a directory that are looked at. */
const MAX_FILES = 10_000;
/** How long the facts are that are kept at once while they are put together. */
const MAX_LENGTH = 4 * MIB;
/** Files whose facts are read at once: a file may have tens of kilobytes of them. */
const MAX_READ_AT_ONCE = 32;
/** The file of a model that consists of models, each in a directory of its own. */
export const PIPELINE = "model_index.json";

/** The facts of a record (C 29). */
export interface RecordFacts {
  readonly record: ResourceRecord;
  readonly facts: Facts;
  /** Of all its files, sorted. */
  readonly formats: readonly string[];
  /** Whether all its files have been read for their facts, and count. */
  readonly isComplete: boolean;
}

/**
 * What a file says of itself, or the files of a directory together (C 29). That comes with scans: it is known of
 * what has been scanned. Files further down count only for models that consist of models.
 * See docs/design/facts.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when not exactly one path or id is given, or the path
 *   is invalid, `ErrResourcesNotFound` when it has no record.
 */
export async function facts(tree: Tree, request: TargetRequest): Promise<RecordFacts> {
  const record = await onlyTarget(tree, request, "read facts");
  return { record, ...(await factsOfRecord(tree, record)) };
}

/** What facts are read from. */
export interface FactsTree {
  readonly records: Pick<Tree["records"], "findByPath" | "list">;
  readonly verdicts: Pick<Tree["verdicts"], "factsOf">;
}

/** The facts of a record that was found. */
export async function factsOfRecord(
  tree: FactsTree,
  record: ResourceRecord,
): Promise<Omit<RecordFacts, "record">> {
  const together = new FactsTogether();
  const formats = new Set<string>();
  let isComplete = true;
  for await (const { isRead, ...file } of filesOf(tree, record)) {
    if (together.files === MAX_FILES || together.length > MAX_LENGTH) {
      isComplete = false;
      break;
    }
    if (isTurnOver()) await takeTurn();
    together.add(file);
    if (file.facts.format !== undefined) formats.add(file.facts.format);
    isComplete &&= isRead;
  }
  return { facts: await together.facts(), formats: [...formats].sort(), isComplete };
}

/** A file with what is known of it. */
interface ReadFile extends FileFacts {
  readonly isRead: boolean;
}

/** A file, or the files that count for a directory. */
async function* filesOf(tree: FactsTree, record: ResourceRecord): AsyncGenerator<ReadFile> {
  if (!record.isDir) return yield* known(tree, [record]);
  const { userId, path } = record;
  const scope = { userId, everyone: false };
  const index = `${path}/${PIPELINE}`;
  const isPipeline = (await tree.records.findByPath(scope, [index])).get(index)?.isDir === false;
  const options = { scope, recursive: isPipeline, directories: [path], chain: [] };
  for await (const page of tree.records.list(options)) {
    yield* known(tree, page.filter(({ isDir }) => !isDir));
  }
}

async function* known(
  { verdicts }: FactsTree,
  files: readonly ResourceRecord[],
): AsyncGenerator<ReadFile> {
  for (const some of partsOf(files)) {
    const facts = await verdicts.factsOf(some);
    for (const [index, file] of some.entries()) {
      yield { file, ...(facts[index] ?? { facts: {}, isRead: false }) };
    }
  }
}

/** Files in parts of which all facts may be read at once. */
export function* partsOf(
  files: readonly ResourceRecord[],
): Generator<readonly ResourceRecord[], void> {
  for (let start = 0; start < files.length; start += MAX_READ_AT_ONCE) {
    yield files.slice(start, start + MAX_READ_AT_ONCE);
  }
}
