import type { ScannedVerdict } from "../../schemas/verdict_names.ts";
import { type Caller, ownerOf } from "../caller.ts";
import type { ResourceRecord } from "../ports.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { list, type ListRequest } from "./list.ts";

/** A file with the verdict on its content. */
export interface FileWithVerdict {
  readonly record: ResourceRecord;
  readonly verdict: ContentVerdict;
  /** Whether the gate refuses it. */
  readonly isBlocked: boolean;
}

/**
 * The verdicts on the files of a listing, in batches and in its order (C 18).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when a path is invalid.
 */
export async function* listVerdicts(
  tree: Tree,
  request: ListRequest,
): AsyncGenerator<readonly FileWithVerdict[]> {
  for await (const batch of list(tree, request)) {
    const files = batch.filter(({ isDir }) => !isDir);
    if (files.length === 0) continue;
    const verdicts = await tree.verdicts.of(files);
    yield files.flatMap((record, index) => {
      const verdict = verdicts[index];
      if (verdict === undefined) return [];
      return [{ record, verdict, isBlocked: isBlocked(tree, record, verdict) }];
    });
  }
}

/** How many files of the tree that the request acts in have which verdict, by the days of their scans (C 24). */
export function verdictDays(
  { verdicts }: Tree,
  caller: Caller,
): Promise<ReadonlyMap<number, ReadonlyMap<ScannedVerdict, number>>> {
  return verdicts.days(ownerOf(caller));
}

/** Whether the gate refuses a file with this verdict now. */
export function isBlocked(
  { gate }: Pick<Tree, "gate">,
  record: ResourceRecord,
  verdict: ContentVerdict,
): boolean {
  return gate?.blocks(verdict, record) ?? false;
}
