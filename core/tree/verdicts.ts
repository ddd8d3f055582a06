import type { SignatureOutcome } from "../../schemas/signatures.ts";
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
  /** Undefined where nobody is trusted to sign. */
  readonly signature: SignatureOutcome | undefined;
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
    if (files.length > 0) yield await withVerdicts(tree, files);
  }
}

/** Files with the verdicts on them, in their order. */
export async function withVerdicts(
  tree: Tree,
  files: readonly ResourceRecord[],
): Promise<FileWithVerdict[]> {
  if (files.length === 0) return [];
  const verdicts = await tree.verdicts.of(files);
  const judged = files.map((record, index) => {
    const verdict = verdicts[index];
    if (verdict === undefined) throw new Error("No verdict was returned");
    return { record, verdict };
  });
  const named = judged.map(({ record: { userId, path, size }, verdict: content }) => ({
    ...{ userId, path, size, content },
    sha256: content.sha256,
  }));
  const blocked = await tree.gate?.blocked(named);
  const signatures = tree.signatures?.isOn === true ? await tree.signatures.of(named) : undefined;
  return judged.map((file, index) => ({
    ...file,
    isBlocked: blocked?.[index] ?? false,
    signature: signatures?.[index],
  }));
}

/** How many files of the tree that the request acts in have which verdict, by the days of their scans (C 24). */
export function verdictDays(
  { verdicts }: Tree,
  caller: Caller,
): Promise<ReadonlyMap<number, ReadonlyMap<ScannedVerdict, number>>> {
  return verdicts.days(ownerOf(caller));
}
