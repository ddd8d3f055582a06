import { createHash } from "node:crypto";
import { RetryLater } from "../errors.ts";
import type { EventSink } from "../events.ts";
import type { ResourceStore } from "../ports.ts";
import type { StoredEvents } from "../stored_events.ts";
import type { ResourceEvent } from "../tree/change_set.ts";
import type { Verdicts } from "../verdicts.ts";

/** The state of a repository. */
export interface Revision {
  /** 40 hexadecimal digits that follow from the paths and the SHA-256 of the files (C 20). */
  readonly commitId: string;
  /** When a record was last changed, in milliseconds since the Unix epoch; 0 without any. */
  readonly modifiedAt: number;
}

/** The directory of a repository, and whose it is. */
export interface RepositoryDirectory {
  readonly userId: number;
  readonly directory: string;
}

export interface RevisionsOptions {
  readonly records: Pick<ResourceStore, "list">;
  readonly verdicts: Pick<Verdicts, "of">;
  /** How many revisions are kept. @default 10000 */
  readonly maxKept?: number;
}

const COMMIT_ID_DIGITS = 40;
/** How often to compute a revision while the repository keeps changing. */
const MAX_ATTEMPTS = 10;
const RETRY_AFTER_S = 5;

interface Kept {
  readonly owner: number;
  readonly directory: string;
  readonly revision: Promise<Revision>;
}

/**
 * The revisions of repositories. To compute one, all of its files are listed, so those used last are kept
 * until an event says that the repository may have changed.
 */
export class Revisions implements EventSink<ResourceEvent> {
  readonly #options: RevisionsOptions;
  /** Those used least recently come first. */
  readonly #kept = new Map<string, Kept>();
  readonly #maxKept: number;

  constructor(options: RevisionsOptions) {
    this.#options = options;
    this.#maxKept = options.maxKept ?? 10_000;
  }

  /** The commit id of the files below a directory. */
  async commitIdOf(userId: number, directory: string): Promise<string> {
    return (await this.of({ userId, directory })).commitId;
  }

  /**
   * The present revision of a repository.
   *
   * @throws {RetryLater} when the SHA-256 of a file is not known yet, or the repository keeps changing.
   */
  async of(repository: RepositoryDirectory): Promise<Revision> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const kept = this.#keep(repository);
      const revision = await kept.revision;
      if (this.#isKept(kept)) return revision;
    }
    throw later("it keeps changing", repository);
  }

  /** Drops the revisions of the repositories that the events may have changed. */
  publish(events: readonly ResourceEvent[] | StoredEvents<ResourceEvent>): void {
    if ("owners" in events) {
      for (const owner of events.owners.keys()) this.#dropAll(owner);
      return;
    }
    for (const { type, record: { userId, path } } of events) {
      // A moved directory has its new path only.
      if (type === "resource.updated") this.#dropAll(userId);
      else this.#drop(userId, path);
    }
  }

  #keep({ userId, directory }: RepositoryDirectory): Kept {
    const key = keyOf(userId, directory);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const kept = known ??
      { owner: userId, directory, revision: this.#compute({ userId, directory }) };
    this.#kept.set(key, kept);
    if (known === undefined) {
      kept.revision.catch(() => this.#isKept(kept) && this.#kept.delete(key));
      const [oldest] = this.#kept.keys();
      if (this.#kept.size > this.#maxKept && oldest !== undefined) this.#kept.delete(oldest);
    }
    return kept;
  }

  #isKept(kept: Kept): boolean {
    return this.#kept.get(keyOf(kept.owner, kept.directory)) === kept;
  }

  #drop(userId: number, path: string): void {
    const [kind = "", namespace = "", name = ""] = path.split("/", 3);
    this.#kept.delete(keyOf(userId, `${kind}/${namespace}/${name}`));
  }

  #dropAll(userId: number): void {
    for (const [key, { owner }] of this.#kept) if (owner === userId) this.#kept.delete(key);
  }

  async #compute({ userId, directory }: RepositoryDirectory): Promise<Revision> {
    const { records, verdicts } = this.#options;
    const digest = createHash("sha256");
    let modifiedAt = 0;
    const scope = { userId, everyone: false };
    const query = { scope, recursive: true, directories: [directory], chain: [] };
    for await (const batch of records.list(query)) {
      const files = batch.filter(({ isDir }) => !isDir);
      const contents = await verdicts.of(files);
      for (const { updatedAt } of batch) modifiedAt = Math.max(modifiedAt, updatedAt);
      for (const [index, { path }] of files.entries()) {
        const sha256 = contents[index]?.sha256 ?? undefined;
        if (sha256 === undefined) {
          throw later("its SHA-256 digests are being computed", { directory });
        }
        digest.update(`${sha256}  ${path.slice(directory.length + 1)}\n`);
      }
    }
    return { commitId: digest.digest("hex").slice(0, COMMIT_ID_DIGITS), modifiedAt };
  }
}

function keyOf(userId: number, directory: string): string {
  return `${userId} ${directory}`;
}

function later(reason: string, { directory }: Pick<RepositoryDirectory, "directory">): RetryLater {
  const message = `The commit id of ${directory} is not known yet: ${reason}`;
  return new RetryLater("ErrUnavailable", message, RETRY_AFTER_S);
}
