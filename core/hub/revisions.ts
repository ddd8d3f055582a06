import { createHash } from "node:crypto";
import { AppError, quoted, RetryLater } from "../errors.ts";
import type { ChangeSet, Root } from "../tree/change_set.ts";
import type { ChangeListener } from "../tree/changes.ts";
import type {
  AtPoint,
  HubStore,
  RepositoryDirectory,
  RepositoryVersion,
  Revision,
} from "./store.ts";

/** A revision that was computed of all files. */
interface Computed extends Revision {
  /** Whether others had better not compute it again. */
  readonly isLarge: boolean;
}

const COMMIT_ID_DIGITS = 40;
/** How many records are read at once to compute a revision: some milliseconds of a thread. */
const PAGE_RECORDS = 2000;
/** How often to read while the repository keeps changing. */
const MAX_ATTEMPTS = 20;
const RETRY_AFTER_S = 5;
/** How many revisions are kept. */
const MAX_KEPT = 10_000;
/** The segments of the path of a repository. */
const REPOSITORY_SEGMENTS = 3;

/** Thrown where a repository changes more often than it can be read. */
export class KeepsChanging extends RetryLater {
  constructor(repository: RepositoryDirectory) {
    super("ErrUnavailable", notKnown(repository, "it keeps changing"), RETRY_AFTER_S);
  }
}

interface Kept extends RepositoryDirectory {
  /** The version before the repository was read. */
  readonly version: Promise<RepositoryVersion>;
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

  /** Whether the revision of a repository is kept, or being computed. */
  keeps(repository: RepositoryDirectory): boolean {
    return this.#kept.has(keyOf(repository));
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
   * @throws {KeepsChanging}
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
    throw new KeepsChanging(repository);
  }

  /** Whether the repository had this very revision until now. */
  async isCurrent(repository: RepositoryDirectory, revision: Revision): Promise<boolean> {
    // A read may have seen a change whose commit has not been announced yet, or that of another server.
    let version = await this.#store.versionOf(repository);
    const key = keyOf(repository);
    for (;;) {
      const kept = this.#kept.get(key);
      if (kept === undefined) return false;
      const [known, before] = await Promise.allSettled([kept.revision, kept.version]);
      if (known.status !== "fulfilled" || known.value !== revision) return false;
      if (this.#kept.get(key) !== kept) continue;
      if (before.status === "fulfilled" && includes(before.value, version)) return true;
      // Another server has changed the repository.
      const present = this.#compute(repository, revision);
      this.#kept.set(key, present);
      version = await present.version;
    }
  }

  committed(changes: ChangeSet): void {
    if (this.#kept.size === 0) return;
    const above = new Set<string>();
    for (const { records, roots, former = [] } of changes) {
      for (const root of [...former, ...roots ?? []]) this.#drop(root, above);
      if (roots !== undefined) continue;
      // Stored records cannot be looked at here: all of their owners' repositories may have changed.
      if ("owners" in records) {
        for (const owner of records.owners.keys()) above.add(`${owner} `);
      } else for (const { userId, path } of records) this.#drop({ userId, path });
    }
    if (above.size === 0) return;
    for (const [key, { userId, directory }] of this.#kept) {
      const [kind = "", namespace = ""] = directory.split("/");
      const parents = [`${userId} `, `${userId} ${kind}`, `${userId} ${kind}/${namespace}`];
      if (parents.some((parent) => above.has(parent))) this.#kept.delete(key);
    }
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
    const version = this.#store.versionOf({ userId, directory });
    const revision = version.then((version) => this.#read({ userId, directory }, version)).then(
      (present) => {
        const { commitId, modifiedAt } = present;
        const isSame = former?.commitId === commitId && former.modifiedAt === modifiedAt;
        return isSame ? former : present;
      },
    );
    const kept: Kept = { userId, directory, version, revision };
    revision.catch(() => {
      const key = keyOf(kept);
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
    });
    return kept;
  }

  /** The revision of a repository that has had a version, at least. */
  async #read(repository: RepositoryDirectory, version: RepositoryVersion): Promise<Revision> {
    if (version.revision !== undefined) return version.revision;
    const { isLarge, ...revision } = await repositoryDigest(this.#store, repository);
    if (!isLarge) return revision;
    try {
      await this.#store.keepRevision(repository, version, revision);
    } catch (error) {
      // Such as of a full database: it is read nevertheless.
      if (!(error instanceof AppError)) throw error;
    }
    return revision;
  }

  /**
   * Drops the revision of the repository that a path is in or the directory of.
   *
   * @param above Receives paths above repositories, if all that is below the path has changed.
   */
  #drop({ userId, path }: Root, above?: Set<string>): void {
    const segments = path.split("/", REPOSITORY_SEGMENTS);
    const key = keyOf({ userId, directory: segments.join("/") });
    if (segments.length === REPOSITORY_SEGMENTS) this.#kept.delete(key);
    else above?.add(key);
  }
}

/**
 * Computes the revision of a repository from all of its files.
 *
 * @throws {RetryLater} when the SHA-256 of a file is not known yet.
 */
export async function repositoryDigest(
  store: HubStore,
  repository: RepositoryDirectory & AtPoint,
): Promise<Computed> {
  const digest = createHash("sha256");
  let modifiedAt = 0;
  let pages = 0;
  for (let after: string | undefined = ""; after !== undefined;) {
    const page = await store.page({
      ...repository,
      form: { kind: "digests" },
      below: repository.directory,
      recursive: true,
      after,
      limit: PAGE_RECORDS,
    });
    if (page.withoutSha256 !== undefined) {
      const message = notKnown(
        repository,
        `the SHA-256 of ${quoted(page.withoutSha256)} is not known`,
      );
      throw new RetryLater("ErrUnavailable", message, RETRY_AFTER_S);
    }
    digest.update(page.text);
    modifiedAt = Math.max(modifiedAt, page.modifiedAt);
    after = page.next;
    pages++;
  }
  const commitId = digest.digest("hex").slice(0, COMMIT_ID_DIGITS);
  return { commitId, modifiedAt, isLarge: pages > 1 };
}

/** Whether a version has all changes of another one. */
function includes(version: RepositoryVersion, other: RepositoryVersion): boolean {
  return version.epoch === other.epoch && version.changes >= other.changes;
}

function keyOf({ userId, directory }: RepositoryDirectory): string {
  return `${userId} ${directory}`;
}

function notKnown({ directory }: RepositoryDirectory, reason: string): string {
  return `The commit id of ${quoted(directory)} is not known yet: ${reason}`;
}
