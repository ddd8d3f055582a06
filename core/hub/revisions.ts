import { createHash } from "node:crypto";
import { quoted, RetryLater } from "../errors.ts";
import { ownersOf } from "../record_lists.ts";
import type { ChangeSet } from "../tree/change_set.ts";
import type { ChangeListener } from "../tree/changes.ts";
import type { HubStore, RepositoryDirectory, TreeVersion } from "./store.ts";

/** The state of a repository. */
export interface Revision {
  /** 40 hexadecimal digits that follow from the paths and the SHA-256 of the files (C 20). */
  readonly commitId: string;
  /** When a record in it was last changed, in milliseconds since the Unix epoch; 0 without any. */
  readonly modifiedAt: number;
}

const COMMIT_ID_DIGITS = 40;
/** How many records are read at once to compute a revision: some milliseconds of a thread. */
const PAGE_RECORDS = 2000;
/** How often to read while the repository keeps changing. */
const MAX_ATTEMPTS = 20;
const RETRY_AFTER_S = 5;
/** The changed records of which each is looked at. */
const MAX_LOOKED_AT = 1000;
/** How many revisions are kept. */
const MAX_KEPT = 10_000;
/** The segments of the path of a repository. */
const REPOSITORY_SEGMENTS = 3;

interface Kept extends RepositoryDirectory {
  /** That of the tree, before the repository was read. */
  readonly version: Promise<TreeVersion>;
  readonly revision: Promise<Revision>;
}

/**
 * The revisions of repositories. To compute one, all of its files are listed, so those used last are kept
 * until a change may have affected the repository.
 * See docs/design/hub.md.
 */
export class Revisions implements ChangeListener {
  readonly #store: HubStore;
  readonly #maxKept: number;
  /** Those used least recently come first. */
  readonly #kept = new Map<string, Kept>();

  /** @param maxKept How many revisions are kept. @default 10000 */
  constructor(store: HubStore, maxKept = MAX_KEPT) {
    this.#store = store;
    this.#maxKept = maxKept;
  }

  /** The commit id of the files below a directory, as {@link of}. */
  async commitIdOf(userId: number, directory: string): Promise<string> {
    return (await this.of({ userId, directory })).commitId;
  }

  /**
   * The present revision of a repository.
   *
   * @throws {RetryLater} when the SHA-256 of a file is not known yet, or the repository keeps changing.
   */
  of(repository: RepositoryDirectory): Promise<Revision> {
    return this.during(repository, (revision) => Promise.resolve(revision));
  }

  /**
   * What `read` returns or throws for the present revision. It is called again if the repository changes
   * meanwhile, so the result belongs to the revision.
   *
   * @param discard Called with a result that is not returned.
   * @throws {RetryLater} as {@link of} does.
   */
  async during<T>(
    repository: RepositoryDirectory,
    read: (revision: Revision) => Promise<T>,
    discard: (result: T) => Promise<void> = () => Promise.resolve(),
  ): Promise<T> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const revision = await this.#keep(repository).revision;
      const [result] = await Promise.allSettled([read(revision)]);
      const isCurrent = await this.isCurrent(repository, revision);
      if (isCurrent && result.status === "fulfilled") return result.value;
      if (isCurrent && result.status === "rejected") throw result.reason;
      if (result.status === "fulfilled") await discard(result.value);
    }
    throw later(repository, "it keeps changing");
  }

  /** Whether the repository had this very revision until now. */
  async isCurrent(repository: RepositoryDirectory, revision: Revision): Promise<boolean> {
    // A read may have seen a change whose commit has not been announced yet, or that of another server.
    let version = await this.#store.versionOf(repository.userId);
    const key = keyOf(repository);
    for (;;) {
      const kept = this.#kept.get(key);
      if (kept === undefined) return false;
      const [known, before] = await Promise.allSettled([kept.revision, kept.version]);
      if (known.status !== "fulfilled" || known.value !== revision) return false;
      if (this.#kept.get(key) !== kept) continue;
      if (before.status === "fulfilled" && includes(before.value, version)) return true;
      // Something in the tree has changed, mostly elsewhere.
      const present = this.#compute(repository, revision);
      this.#kept.set(key, present);
      version = await present.version;
    }
  }

  committed(changes: ChangeSet): void {
    if (this.#kept.size === 0) return;
    const owners = new Set<number>();
    for (const { records, former = [] } of changes) {
      for (const { userId, path } of former) if (this.#drop(userId, path)) owners.add(userId);
      // Too many to look at.
      if ("owners" in records || records.length > MAX_LOOKED_AT) {
        for (const userId of ownersOf([records]).keys()) owners.add(userId);
      } else for (const { userId, path } of records) this.#drop(userId, path);
    }
    if (owners.size === 0) return;
    for (const [key, { userId }] of this.#kept) if (owners.has(userId)) this.#kept.delete(key);
  }

  #keep(repository: RepositoryDirectory): Kept {
    const key = keyOf(repository);
    const known = this.#kept.get(key);
    this.#kept.delete(key);
    const kept = known ?? this.#compute(repository);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > this.#maxKept && oldest !== undefined) this.#kept.delete(oldest);
    return kept;
  }

  /** @param former Is the revision still, if nothing in the repository has changed. */
  #compute({ userId, directory }: RepositoryDirectory, former?: Revision): Kept {
    const version = this.#store.versionOf(userId);
    const revision = version.then(() => this.#read({ userId, directory })).then((present) => {
      const { commitId, modifiedAt } = present;
      const isSame = former?.commitId === commitId && former.modifiedAt === modifiedAt;
      return isSame ? former : present;
    });
    const kept: Kept = { userId, directory, version, revision };
    revision.catch(() => {
      const key = keyOf(kept);
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return kept;
  }

  async #read(repository: RepositoryDirectory): Promise<Revision> {
    const digest = createHash("sha256");
    let modifiedAt = 0;
    for (let after: string | undefined = ""; after !== undefined;) {
      const page = await this.#store.page({
        ...repository,
        form: { kind: "digests" },
        below: repository.directory,
        recursive: true,
        after,
        limit: PAGE_RECORDS,
      });
      if (page.withoutSha256 !== undefined) {
        throw later(repository, `the SHA-256 of ${quoted(page.withoutSha256)} is not known`);
      }
      digest.update(page.text);
      modifiedAt = Math.max(modifiedAt, page.modifiedAt);
      after = page.next;
    }
    return { commitId: digest.digest("hex").slice(0, COMMIT_ID_DIGITS), modifiedAt };
  }

  /**
   * Drops the revision of the repository that a path is in or the directory of. Returns whether repositories
   * may be below the path.
   */
  #drop(userId: number, path: string): boolean {
    const segments = path.split("/", REPOSITORY_SEGMENTS);
    this.#kept.delete(keyOf({ userId, directory: segments.join("/") }));
    return segments.length < REPOSITORY_SEGMENTS;
  }
}

/** Whether a version has all changes of another one. */
function includes(version: TreeVersion, other: TreeVersion): boolean {
  return version.epoch === other.epoch && version.changes >= other.changes;
}

function keyOf({ userId, directory }: RepositoryDirectory): string {
  return `${userId} ${directory}`;
}

function later({ directory }: RepositoryDirectory, reason: string): RetryLater {
  const message = `The commit id of ${quoted(directory)} is not known yet: ${reason}`;
  return new RetryLater("ErrUnavailable", message, RETRY_AFTER_S);
}
