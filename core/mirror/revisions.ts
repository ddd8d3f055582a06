import { asError } from "../log.ts";
import { AppError, quoted } from "../errors.ts";
import { isWithin } from "../event_loop.ts";
import { HEAD, MAIN } from "../hub/repository.ts";
import { repositoryPath } from "../hub/kept_directory.ts";
import { type MirrorParts, refusalOf, requireForeign } from "./mirror.ts";
import { UpstreamAway } from "./ports.ts";
import type { ListedEntry, MirroredName, MirrorRevision } from "./store.ts";

const COMMIT_ID = /^[0-9a-f]{40}$/;
const MAX_NAME_CHARS = 250;
/** What a key of each engine can have. */
const MAX_ENTRY_BYTES = 1000;

/** How long a request waits for the other hub while its last answer is known, in milliseconds: clients wait 10 s. */
const PROMPT_MS = 3000;

export interface RevisionsOptions {
  /** After how long it is asked again what a name stands for, in milliseconds. */
  readonly freshMs: number;
  /** How long a request waits for that, in milliseconds, if the last answer is known. @default 3000 */
  readonly promptMs?: number | undefined;
}

/** What the other hub is asked for. */
interface Answer {
  readonly revision: Promise<MirrorRevision>;
  /** Resolves with whether it answers soon, or fails soon. */
  readonly isPrompt: Promise<boolean>;
}

/** A revision that a name stands for. */
export interface FixedRevision {
  readonly revision: MirrorRevision;
  /** When the other hub last said so, if it could not now. In milliseconds since the Unix epoch. */
  readonly staleSince?: number | undefined;
}

/** Who asks for which revision. */
export interface RevisionRequest {
  readonly repository: MirroredName;
  /** A branch, a tag or a commit id. */
  readonly name: string;
  readonly userId: number;
}

/**
 * The revisions of the other hub. Each stays what it was when it was first asked for (C 28).
 * See docs/design/mirror.md.
 */
export class MirrorRevisions {
  readonly #parts: MirrorParts;
  readonly #options: RevisionsOptions;
  /** What the other hub is asked for, by repository and name. */
  readonly #running = new Map<string, Answer>();

  constructor(parts: MirrorParts, options: RevisionsOptions) {
    this.#parts = parts;
    this.#options = options;
  }

  /**
   * The revision that a name stands for.
   *
   * @throws {AppError} `ErrHubRepositoryNotFound`, also for a namespace that is used inside,
   *   `ErrHubRevisionNotFound`, `ErrNotPermitted` when the other hub refuses it, `ErrUnavailable` when it is away and
   *   was never asked before.
   */
  async fix(request: RevisionRequest): Promise<FixedRevision> {
    const { repository } = request;
    const name = nameOf(request.name);
    requireForeign(this.#parts, repository);
    if (name.length > MAX_NAME_CHARS || !name.isWellFormed() || /\p{Cc}/u.test(name)) {
      throw new AppError("ErrHubRevisionNotFound", `Revision ${quoted(name)} not found`);
    }
    return await this.#find({ ...request, name });
  }

  async #find(request: RevisionRequest): Promise<FixedRevision> {
    const { repository, name } = request;
    const { store, tree: { log } } = this.#parts;
    if (COMMIT_ID.test(name)) {
      const known = await store.findRevision(repository, name);
      return { revision: known ?? await this.#ask(request).revision };
    }
    const known = await store.findName(repository, name);
    const former = known && await store.findRevision(repository, known.commitId);
    const { freshMs } = this.#options;
    if (known !== undefined && former !== undefined && Date.now() - known.checkedAt < freshMs) {
      return { revision: former };
    }
    const { revision, isPrompt } = this.#ask(request);
    if (known === undefined || former === undefined) return { revision: await revision };
    let reason: Error | undefined;
    try {
      if (await isPrompt) return { revision: await revision };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      reason = error;
    }
    log.warn("The other hub does not answer; its last answer counts", {
      ...{ repository: repository.id, revision: name },
      ...(reason && { error: reason }),
    });
    return { revision: former, staleSince: known.checkedAt };
  }

  /** Asks the other hub for a revision, once for all who wait for that, and keeps what a name stands for. */
  #ask(request: RevisionRequest): Answer {
    const { repository: { kind, id }, name } = request;
    const key = JSON.stringify([kind, id, name]);
    const running = this.#running.get(key);
    if (running !== undefined) return running;
    const revision = this.#renew(request).finally(() => this.#running.delete(key));
    // It may fail when nobody waits for it any more.
    revision.catch((error) => {
      if (error instanceof AppError) return;
      this.#parts.tree.log.warn("Cannot keep a revision of the other hub", {
        ...{ repository: id, revision: name },
        error: asError(error),
      });
    });
    const isPrompt = isWithin(
      Promise.allSettled([revision]),
      this.#options.promptMs ?? PROMPT_MS,
    );
    const answer = { revision, isPrompt };
    this.#running.set(key, answer);
    return answer;
  }

  async #renew(request: RevisionRequest): Promise<MirrorRevision> {
    const { store } = this.#parts;
    const { repository, name } = request;
    const revision = await this.#add(request);
    if (!COMMIT_ID.test(name)) {
      const { commitId } = revision;
      await store.keepName(repository, name, { commitId, checkedAt: Date.now() });
    }
    return revision;
  }

  /** Asks the other hub for a revision, and stores it unless it is known. */
  async #add({ repository, name, userId }: RevisionRequest): Promise<MirrorRevision> {
    const { store, upstream, totals } = this.#parts;
    try {
      const { commitId, about } = await upstream.revision(repository, name);
      totals.answeredAt = Date.now();
      requireForeign(this.#parts, repository, about.realId);
      const known = await store.findRevision(repository, commitId);
      if (known !== undefined) return known;
      const entries = this.#nameable(repository, upstream.entries(repository, commitId));
      const { kind, id } = repository;
      await store.addRevision(
        { kind, id, commitId, about, askedFirstAt: Date.now(), askedFirstBy: userId },
        entries,
      );
      const added = await store.findRevision(repository, commitId);
      if (added === undefined) throw new Error("A revision that was stored was not found");
      return added;
    } catch (error) {
      // What fails here is not for everybody who may use the mirror, and says nothing of the other hub.
      if (error instanceof UpstreamAway) totals.failed(error);
      else if (error instanceof AppError && error.kind !== "ErrUnavailable") {
        totals.answeredAt = Date.now();
      }
      throw refusalOf(error, repository);
    }
  }

  /** The entries that can have a path here (C 4). The others cannot be had from here. */
  async *#nameable(
    { id }: MirroredName,
    pages: AsyncIterable<readonly ListedEntry[]>,
  ): AsyncGenerator<readonly ListedEntry[], void> {
    for await (const page of pages) {
      const kept = page.filter(({ path }) => isNameable(path));
      if (kept.length < page.length) {
        const others = page.length - kept.length;
        this.#parts.tree.log.warn("Files whose paths cannot be kept are left out", {
          ...{ repository: id, files: others },
        });
      }
      yield kept;
    }
  }
}

function nameOf(name: string): string {
  const branch = name.replace(/^refs\/heads\//, "");
  return branch === HEAD ? MAIN : branch;
}

/** Whether a file can have a path here. */
export function isNameable(path: string): boolean {
  try {
    return repositoryPath(path) === path &&
      new TextEncoder().encode(path).length <= MAX_ENTRY_BYTES;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}
