import type { Facts } from "../../schemas/facts.ts";
import type { ResourceRecord } from "../ports.ts";
import type { Tree } from "./changes.ts";
import { factsTogether, type FileFacts } from "./facts_together.ts";
import { onlyTarget, type TargetRequest } from "./targets.ts";

/** Files of a directory that are looked at. */
const MAX_FILES = 10_000;
/** The file of a model that consists of models, each in a directory of its own. */
const PIPELINE = "model_index.json";

/** The facts of a record (C 29). */
export interface RecordFacts {
  readonly record: ResourceRecord;
  readonly facts: Facts;
  /** Of all its files, sorted. */
  readonly formats: readonly string[];
  /** Whether all its files have been read for their facts. */
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

/** The facts of a record that was found. */
export async function factsOfRecord(
  tree: Tree,
  record: ResourceRecord,
): Promise<Omit<RecordFacts, "record">> {
  if (!record.isDir) return together(await factsOfFiles(tree, [record]));
  const { files, isWhole } = await filesIn(tree, record, false);
  const pipeline = files.some(({ file }) => file.name === PIPELINE)
    ? await filesIn(tree, record, true)
    : { files, isWhole };
  return together(pipeline.files, pipeline.isWhole);
}

/** A file with what is known of it. */
interface ReadFile extends FileFacts {
  readonly isRead: boolean;
}

function together(files: readonly ReadFile[], isWhole = true) {
  const formats = files.flatMap(({ facts: { format } }) => format === undefined ? [] : [format]);
  return {
    facts: factsTogether(files),
    formats: [...new Set(formats)].sort(),
    isComplete: isWhole && files.every(({ isRead }) => isRead),
  };
}

/** The files of a directory, the first of many. */
async function filesIn(
  tree: Tree,
  { userId, path }: ResourceRecord,
  recursive: boolean,
): Promise<{ readonly files: readonly ReadFile[]; readonly isWhole: boolean }> {
  const files: ReadFile[] = [];
  const scope = { userId, everyone: false };
  const pages = tree.records.list({ scope, recursive, directories: [path], chain: [] });
  for await (const page of pages) {
    const batch = page.filter(({ isDir }) => !isDir).slice(0, MAX_FILES - files.length + 1);
    if (batch.length > 0) files.push(...await factsOfFiles(tree, batch));
    if (files.length > MAX_FILES) return { files: files.slice(0, MAX_FILES), isWhole: false };
  }
  return { files, isWhole: true };
}

async function factsOfFiles(
  { verdicts }: Tree,
  files: readonly ResourceRecord[],
): Promise<ReadFile[]> {
  const known = await verdicts.factsOf(files);
  return files.map((file, index) => ({ file, ...(known[index] ?? { facts: {}, isRead: false }) }));
}
