import type { DecidedUpload } from "../../core/decided_upload.ts";
import type { ObjectFacts } from "../../core/object_facts.ts";
import type { SqlParameters } from "./dialect.ts";

/** The parameters of the statement that keeps facts. */
export function factsRow(
  { id: record, hash }: { readonly id: number; readonly hash: string },
  facts: ObjectFacts,
): SqlParameters {
  return { record, hash, ...factsColumns(facts) };
}

/** The parameters of the statements that keep facts of the files of an upload. */
export function uploadedFacts(
  { facts, newRecords, newContents, found }: DecidedUpload,
): SqlParameters[] {
  if (facts === undefined) return [];
  const replaced = new Set(newContents.map(({ id }) => id));
  const files = [
    ...newRecords.filter(({ isDir }) => !isDir),
    ...found.filter(({ id }) => replaced.has(id)),
  ];
  return files.map(({ userId: user, path }) => ({ user, path, ...factsColumns(facts) }));
}

function factsColumns({ etag, metadata }: ObjectFacts) {
  return { etag: etag ?? null, metadata: JSON.stringify(metadata) };
}
