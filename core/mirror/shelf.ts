import { isWithin } from "../event_loop.ts";
import { AppError } from "../errors.ts";
import { nameOf } from "../paths.ts";
import type { Decision } from "../policy/judge.ts";
import { release } from "../record_lists.ts";
import { ALLOWED, gateDecision } from "../tree/decisions.ts";
import { remove } from "../tree/remove.ts";
import type { Verdict } from "../../schemas/verdict_names.ts";
import { findMirrored, type Mirror } from "./files.ts";
import { directoryOf, pathOf } from "./mirror.ts";
import type { MirrorEntry, MirrorRevision, ShelvedRevision } from "./store.ts";

/** How long a request waits for the end of a fetch, in milliseconds. */
const MAX_WAIT_MS = 20_000;

/**
 * A revision of another hub by its number here.
 *
 * @throws {AppError} `ErrHubRevisionNotFound`
 */
export async function shelvedRevision(
  { store }: Mirror,
  revision: number,
): Promise<ShelvedRevision> {
  const found = await store.findShelved(revision);
  if (found !== undefined) return found;
  throw new AppError("ErrHubRevisionNotFound", `The mirror has no revision ${revision}`);
}

/** A file of another hub, and what would happen to who downloads it. */
export interface DecidedEntry {
  readonly file: MirrorEntry;
  readonly decision: Decision;
  /** Undefined before it has come in. */
  readonly verdict: Verdict | undefined;
}

/** What would happen to who downloads the next files of a revision, in path order (C 28). Nothing is fetched for it. */
export async function mirroredDecisions(
  mirror: Mirror,
  revision: MirrorRevision,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<{ readonly items: readonly DecidedEntry[]; readonly next: string | undefined }> {
  const { store, tree: { records, verdicts, gate }, caller, rules } = mirror;
  const page = { revision: revision.revision, below: "", recursive: true, after, limit };
  const entries = await store.listEntries(page);
  const files = entries.filter(({ isDir }) => !isDir);
  const scope = { userId: caller.userId, everyone: false };
  const paths = files.map((file) => pathOf({ revision, file }));
  const stored = await records.findByPath(scope, paths);
  const found = [...stored.values()];
  const known = found.length === 0 ? [] : await verdicts.of(found);
  const verdictOf = new Map(found.map(({ path }, index) => [path, known[index]]));
  const items = await Promise.all(files.map(async (file, index) => {
    const verdict = verdictOf.get(paths[index] ?? "");
    const decision = (verdict && gateDecision(gate, verdict, nameOf(file.path))) ??
      await rules?.decide({ revision, file, verdict }) ?? ALLOWED;
    return { file, decision, verdict: verdict?.verdict };
  }));
  return { items, next: entries.length < limit ? undefined : entries.at(-1)?.path };
}

/**
 * Has a file come in, and waits for that for some seconds.
 *
 * @returns whether the tree has it, scanned if the gate asks for that.
 * @throws {AppError} as who downloads it is refused.
 */
export async function fetchAhead(
  mirror: Mirror,
  revision: MirrorRevision,
  { path, userId }: { readonly path: string; readonly userId: number },
): Promise<boolean> {
  const { record, file } = await findMirrored(mirror, revision, { path, userId });
  if (record !== undefined) return true;
  return await isWithin(mirror.fetches.of({ revision, file }, userId).ended, MAX_WAIT_MS);
}

/** Keeps the files of a revision whatever else comes in, or no longer. */
export async function pin(
  mirror: Mirror,
  revision: number,
  isPinned: boolean,
): Promise<ShelvedRevision> {
  await shelvedRevision(mirror, revision);
  await mirror.store.notePinned(revision, isPinned ? Date.now() : undefined);
  return await shelvedRevision(mirror, revision);
}

/** Gives up the files of a revision, also if it is pinned. What is known of it stays. */
export async function giveUp(mirror: Mirror, number: number): Promise<ShelvedRevision> {
  const { tree, caller, store } = mirror;
  const revision = await shelvedRevision(mirror, number);
  await store.notePinned(number, undefined);
  const directory = directoryOf(revision);
  const scope = { userId: caller.userId, everyone: false };
  if ((await tree.records.findByPath(scope, [directory])).has(directory)) {
    const changes = await remove(tree, { caller, paths: [directory], purges: true });
    for (const { records } of changes) release(records);
  }
  await store.forgetFetched(number);
  return { ...revision, pinnedAt: undefined, fetchedFiles: 0, fetchedBytes: 0 };
}
