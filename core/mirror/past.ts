import { AppError } from "../errors.ts";
import { isWithin } from "../event_loop.ts";
import { type MirrorParts, requireForeign } from "./mirror.ts";
import { UpstreamAway, type UpstreamCommits, type UpstreamReferences } from "./ports.ts";
import type { MirrorRevision } from "./store.ts";

/** How long a request waits for the other hub, in milliseconds: clients wait 10 s. */
const PROMPT_MS = 8000;

/** What the other hub says, or what is known without it. */
export interface Past<T> {
  readonly found: T;
  /** Since when that is known, if the other hub cannot be asked. In milliseconds since the Unix epoch. */
  readonly staleSince?: number | undefined;
}

/**
 * The branches and tags of the repository of a revision. Without the other hub, those that were asked for here, all of them as
 * branches.
 */
export async function mirroredReferences(
  parts: MirrorParts,
  revision: MirrorRevision,
): Promise<Past<UpstreamReferences>> {
  const { upstream, store } = parts;
  const found = await promptly(parts, revision, () => upstream.references(revision));
  if (found !== undefined) return { found };
  const branches = await store.listNames(revision);
  const times = branches.map(({ checkedAt }) => checkedAt);
  return { found: { branches, tags: [] }, staleSince: Math.min(Date.now(), ...times) };
}

/** A part of the commits that led to a revision. Without the other hub, that one alone. */
export async function mirroredCommits(
  parts: MirrorParts,
  revision: MirrorRevision,
  cursor: string | undefined,
): Promise<Past<UpstreamCommits>> {
  const { commitId, about: { modifiedAt }, askedFirstAt } = revision;
  const ask = () => parts.upstream.commits(revision, commitId, cursor);
  const found = await promptly(parts, revision, ask);
  if (found !== undefined) return { found };
  const title = "The mirrored state (the other hub does not tell of earlier ones now)";
  const commit = { id: commitId, title, message: "", time: modifiedAt, authors: [] };
  const items = cursor === undefined ? [commit] : [];
  return { found: { items, next: undefined }, staleSince: askedFirstAt };
}

/** What the other hub answers. Undefined if it does not, or too late, or has the repository no longer. */
async function promptly<T>(
  parts: MirrorParts,
  revision: MirrorRevision,
  ask: () => Promise<T>,
): Promise<T | undefined> {
  const { totals, tree: { log } } = parts;
  // Names that were foreign may be used inside by now.
  requireForeign(parts, revision, revision.about.realId);
  const asked = ask();
  if (!await isWithin(Promise.allSettled([asked]), PROMPT_MS)) return undefined;
  try {
    const found = await asked;
    totals.answeredAt = Date.now();
    return found;
  } catch (error) {
    if (error instanceof UpstreamAway) totals.failed(error);
    else if (!(error instanceof AppError)) throw error;
    log.warn("The other hub does not tell of the past of a repository", {
      ...{ repository: revision.id, error },
    });
    return undefined;
  }
}
