import type {
  AboutRevision,
  ContentsRequest,
  EntryPage,
  FetchedFile,
  KnownName,
  ListedEntry,
  MirroredKind,
  MirroredName,
  MirrorEntry,
  MirrorRevision,
  MirrorStore,
  NewRevision,
  ShelvedRevision,
} from "../../core/mirror/store.ts";
import { parentOf } from "../../core/paths.ts";
import {
  commit,
  numberOrNull,
  type SqlRow,
  type SqlValue,
  type Statements,
  textOrNull,
} from "./dialect.ts";
import type { MirrorStatement } from "./mirror_statements.ts";

/** Keeps what is known of mirrored repositories in the database of the records. */
export class SqlMirrorStore implements MirrorStore {
  readonly #statements: Statements<MirrorStatement>;

  constructor(statements: Statements<MirrorStatement>) {
    this.#statements = statements;
  }

  async findName({ kind, id }: MirroredName, name: string): Promise<KnownName | undefined> {
    const [row] = await this.#statements.find("findName", { kind, repository: id, name });
    return row && { commitId: String(row.commit_id), checkedAt: Number(row.checked_at) };
  }

  async listNames({ kind, id }: MirroredName): Promise<(KnownName & { readonly name: string })[]> {
    const rows = await this.#statements.read("listNames", { kind, repository: id });
    return rows.map((row) => ({
      name: String(row.name),
      commitId: String(row.commit_id),
      checkedAt: Number(row.checked_at),
    }));
  }

  async keepName(
    { kind, id }: MirroredName,
    name: string,
    { commitId, checkedAt }: KnownName,
  ): Promise<void> {
    await commit(this.#statements, "keepName", {
      ...{ kind, repository: id, name },
      commit: commitId,
      checked: checkedAt,
    });
  }

  async findRevision(
    { kind, id }: MirroredName,
    commitId: string,
  ): Promise<MirrorRevision | undefined> {
    const [row] = await this.#statements.find("findRevision", {
      ...{ kind, repository: id, commit: commitId },
    });
    return row && toRevision(row);
  }

  async addRevision(
    { kind, id, commitId, about, askedFirstAt, askedFirstBy }: NewRevision,
    entries: AsyncIterable<readonly ListedEntry[]>,
  ): Promise<void> {
    const [row] = await commit(this.#statements, "beginRevision", {
      ...{ kind, repository: id, commit: commitId },
      about: JSON.stringify(about),
      asked: askedFirstAt,
      user: askedFirstBy,
    });
    const revision = Number(row?.id);
    for await (const page of entries) {
      const byPath = new Map(page.map((entry) => [entry.path, entry]));
      const added = [...byPath.values()].map(({ path, isDir, size, blobId, sha256 = null }) => ({
        ...{ path, size, sha256 },
        parent: parentOf(path),
        is_dir: Number(isDir),
        blob_id: blobId,
      }));
      await commit(this.#statements, "addEntries", { revision, entries: JSON.stringify(added) });
    }
    await commit(this.#statements, "endRevision", { revision });
  }

  async findEntries(revision: number, paths: readonly string[]): Promise<MirrorEntry[]> {
    const rows = await this.#statements.find("findEntries", {
      revision,
      paths: JSON.stringify(paths),
    });
    return rows.map(toEntry);
  }

  async findContents(
    { kind, id }: MirroredName,
    { first = 0, sha256s }: ContentsRequest,
  ): Promise<{ revision: MirrorRevision; file: MirrorEntry }[]> {
    const rows = await this.#statements.read("findContents", {
      ...{ kind, repository: id, first, sha256s: JSON.stringify(sha256s) },
    });
    return rows.map((row) => ({ revision: toRevision(row), file: toEntry(row) }));
  }

  async listEntries(
    { revision, below, recursive, after, limit }: EntryPage,
  ): Promise<MirrorEntry[]> {
    const rows = !recursive
      ? await this.#statements.read("listChildren", { revision, below, after, limit })
      : below === ""
      ? await this.#statements.read("listAll", { revision, after, limit })
      : await this.#statements.read("listBelow", { revision, below, after, limit });
    return rows.map(toEntry);
  }

  async noteAsked(revision: number, path: string, now: number): Promise<void> {
    await commit(this.#statements, "noteAsked", { revision, path, now });
  }

  async hasContent(sha256: string): Promise<boolean> {
    return (await this.#statements.find("hasContent", { sha256 })).length > 0;
  }

  async takeFetch(revision: number, path: string): Promise<boolean> {
    return (await commit(this.#statements, "takeFetch", { revision, path })).length > 0;
  }

  async endFetch(revision: number, path: string): Promise<void> {
    await commit(this.#statements, "endFetch", { revision, path });
  }

  async noteAdmitted(revision: number, path: string, now: number): Promise<boolean> {
    return (await commit(this.#statements, "noteAdmitted", { revision, path, now })).length > 0;
  }

  async noteFetched(
    revision: number,
    path: string,
    fetchedAt: number | undefined,
  ): Promise<void> {
    await commit(this.#statements, "noteFetched", { revision, path, fetched: fetchedAt ?? null });
  }

  async notePassedOn(revision: number, path: string, now: number): Promise<boolean> {
    return (await commit(this.#statements, "notePassedOn", { revision, path, now })).length > 0;
  }

  async forgetPassedOn(revision: number, path: string): Promise<void> {
    await commit(this.#statements, "forgetPassedOn", { revision, path });
  }

  async listShelved(
    { limit, before = Number.MAX_SAFE_INTEGER }: {
      readonly limit: number;
      readonly before?: number;
    },
  ): Promise<ShelvedRevision[]> {
    return (await this.#statements.read("listShelved", { limit, before })).map(toShelved);
  }

  async findShelved(revision: number): Promise<ShelvedRevision | undefined> {
    // PostgreSQL refuses to look for numbers that no revision can have.
    if (!Number.isSafeInteger(revision)) return undefined;
    return (await this.#statements.find("findShelved", { revision })).map(toShelved)[0];
  }

  async pinnedBytes(): Promise<number> {
    const [row] = await this.#statements.read("pinnedBytes", {});
    return Number(row?.bytes);
  }

  async notePinned(revision: number, pinnedAt: number | undefined): Promise<void> {
    await commit(this.#statements, "notePinned", { revision, pinned: pinnedAt ?? null });
  }

  async noteCode(revision: number, hasCode: boolean): Promise<void> {
    await commit(this.#statements, "noteCode", { revision, code: Number(hasCode) });
  }

  async forgetFetched(revision: number): Promise<void> {
    await commit(this.#statements, "forgetFetched", { revision });
  }

  async leastAsked(limit: number): Promise<FetchedFile[]> {
    return (await this.#statements.read("leastAsked", { limit })).map((row) => ({
      revision: Number(row.revision),
      kind: toKind(row.kind),
      id: String(row.repository),
      commitId: String(row.commit_id),
      path: String(row.path),
    }));
  }
}

function toRevision(row: SqlRow): MirrorRevision {
  const about: AboutRevision = JSON.parse(String(row.about));
  return {
    revision: Number(row.id),
    kind: toKind(row.kind),
    id: String(row.repository),
    commitId: String(row.commit_id),
    about,
    files: Number(row.files),
    bytes: Number(row.bytes),
    askedFirstAt: Number(row.asked_first_at),
    askedFirstBy: Number(row.asked_first_by),
    pinnedAt: numberOrNull(row.pinned_at) ?? undefined,
    hasCode: row.has_code === null ? undefined : Number(row.has_code) === 1,
  };
}

function toShelved(row: SqlRow): ShelvedRevision {
  return {
    ...toRevision(row),
    fetchedFiles: Number(row.fetched_files),
    fetchedBytes: Number(row.fetched_bytes),
  };
}

function toKind(value: SqlValue | undefined): MirroredKind {
  return value === "datasets" ? "datasets" : "models";
}

function toEntry(row: SqlRow): MirrorEntry {
  return {
    path: String(row.path),
    isDir: Number(row.is_dir) === 1,
    size: Number(row.size),
    blobId: String(row.blob_id),
    sha256: textOrNull(row.sha256) ?? undefined,
    admittedAt: numberOrNull(row.admitted_at) ?? undefined,
    fetchedAt: numberOrNull(row.fetched_at) ?? undefined,
    passedOnAt: numberOrNull(row.passed_on_at) ?? undefined,
  };
}
