import { type Caller, ownerOf } from "../caller.ts";
import type { ObjectFacts } from "../object_facts.ts";
import type { ResourceRecord } from "../ports.ts";
import { chainOf } from "../tree/directories.ts";
import type { RequireCondition } from "../tree/placement.ts";
import type { S3Service } from "./service.ts";

/** A request to store an object. */
export interface StoreRequest {
  readonly caller: Caller;
  /** Sanitized. */
  readonly path: string;
  /**
   * Throws if the request does not apply to the file at the path, or to there being none.
   *
   * @param etag That of the object, if it is not the MD5 of the file.
   */
  readonly requireObject: (found: ResourceRecord | undefined, etag: string | undefined) => void;
}

/**
 * Looks up what is kept of the object at a path, and makes the condition of a request to store another one
 * there. A file with other content than it has now has no ETag but its MD5.
 */
export async function conditionOf(
  { tree, store }: S3Service,
  { caller, path, requireObject }: StoreRequest,
): Promise<{
  /** The records at the path and above it. */
  readonly found: ReadonlyMap<string, ResourceRecord>;
  readonly facts: ObjectFacts | undefined;
  readonly requireCondition: RequireCondition;
}> {
  const scope = { userId: ownerOf(caller), everyone: false };
  const found = await tree.records.findByPath(scope, chainOf(path));
  const former = found.get(path);
  const facts = former === undefined ? undefined : await store.facts(former);
  return {
    found,
    facts,
    requireCondition(record) {
      const isFormer = record?.id === former?.id && record?.hash === former?.hash;
      requireObject(record, isFormer ? facts?.etag : undefined);
    },
  };
}
