import type { ResourceRecord } from "../ports.ts";
import type { ContentVerdict } from "../verdicts.ts";
import type { Tree } from "./changes.ts";
import { list, type ListRequest } from "./list.ts";

/** A file with the verdict on its content. */
export interface FileWithVerdict {
  readonly record: ResourceRecord;
  readonly verdict: ContentVerdict;
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
      return verdict === undefined ? [] : [{ record, verdict }];
    });
  }
}
