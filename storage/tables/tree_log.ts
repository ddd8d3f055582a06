import type {
  ChangeAction,
  CommitStore,
  KeptCommit,
  LogPage,
  LogPlace,
  LogQuery,
  TrashPage,
  TrashQuery,
  TreeChange,
} from "../../core/history.ts";
import { isBelow } from "../../core/paths.ts";
import {
  numberOrNull,
  type SqlParameters,
  type SqlRow,
  type Statements,
  textOrNull,
} from "./dialect.ts";
import type { LogStatement } from "./log_statements.ts";

/** A state of a record that begins or ends with a version. */
interface State {
  readonly version: number;
  readonly path: string;
  readonly id: number;
  readonly hash: string;
  readonly size: number;
  readonly isDir: boolean;
  readonly begins: boolean;
}

/** A change without what is known of its version. */
type BareChange = Omit<TreeChange, "time" | "author" | "message">;

/** Where lists begin. */
const START = { version: Number.MAX_SAFE_INTEGER, after: "" };

/** Tells what has changed in trees. See docs/design/past.md. */
export class TreeLog {
  readonly #statements: Statements<LogStatement>;

  constructor(statements: Statements<LogStatement>) {
    this.#statements = statements;
  }

  /**
   * {@link HistoryStore.log}
   *
   * @param oldest The first version that can be read. What made it is not known any more.
   */
  async page({ userId, path, place, limit }: LogQuery, oldest: number): Promise<LogPage> {
    const changes: TreeChange[] = [];
    let next: LogPlace | undefined = place ?? { ...START, path };
    while (next !== undefined && changes.length < limit) {
      const step = await this.#step(userId, next, { limit: limit - changes.length, oldest });
      changes.push(...await this.#described(userId, step.changes));
      next = step.next;
    }
    return { changes, next };
  }

  /** {@link HistoryStore.trash} */
  async trash({ userId: user, place, limit }: TrashQuery, oldest: number): Promise<TrashPage> {
    const { version, after } = place ?? START;
    const found = await this.#statements.read("trash", {
      ...{ user, oldest, version, after },
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const notes = await this.#notes(user, rows.map((row) => Number(row.version)));
    return {
      entries: rows.filter(isGone).map((row) => ({
        version: Number(row.version),
        path: String(row.path),
        isDir: Number(row.is_dir) === 1,
        size: Number(row.bytes),
        files: Number(row.files),
        ...notes(Number(row.version)),
      })),
      next: last && { version: Number(last.version), after: String(last.path) },
    };
  }

  /** {@link CommitStore.versions} */
  async versions(
    user: number,
    path: string,
    { oldest, upTo, limit }: {
      readonly oldest: number;
      readonly upTo: number;
      readonly limit: number;
    },
  ) {
    const range = { path, first: `${path}/`, end: `${path}0` };
    const rows = await this.#statements.read("versionsOf", {
      ...{ user, oldest, version: upTo, limit },
      ...range,
    });
    const versions = rows.map(({ version }) => Number(version));
    // What the oldest one had was made before.
    if (versions.length < limit && oldest <= upTo) versions.push(oldest);
    const notes = await this.#notes(user, versions);
    return versions.map((version) => ({ version, ...notes(version) }));
  }

  /** The commits of repositories of the hub. */
  readonly commits: Pick<CommitStore, "withId" | "known" | "keep"> = {
    withId: async (user, directory, id) => {
      const branches = { first: `${directory}@`, last: `${directory}A` };
      const rows = await this.#statements.read("commitsWith", { user, directory, id, ...branches });
      return rows.map((row) => toCommit({ ...row, commit_id: id }));
    },
    known: async (user, directory, of) => {
      const versions = JSON.stringify(of.map((version) => ({ version })));
      const rows = await this.#statements.read("knownCommits", { user, directory, versions });
      return rows.map((row) => toCommit({ ...row, directory }));
    },
    keep: async (user, commits) => {
      await this.#statements.write(async (run) => {
        for (const { directory, version, commitId: id, modifiedAt: modified } of commits) {
          await run("keepCommit", { user, directory, version, id, modified });
        }
      });
    },
  };

  /** Changes of what is at one path, up to the version that moved it there. */
  async #step(
    user: number,
    { version, after, path, former }: LogPlace,
    { limit, oldest }: { readonly limit: number; readonly oldest: number },
  ): Promise<{ readonly changes: readonly BareChange[]; readonly next: LogPlace | undefined }> {
    // A path has two states of a version at most. One more row shows whether the last path is whole.
    const max = 2 * limit + 1;
    const range: SqlParameters = path === "" ? {} : { path, first: `${path}/`, end: `${path}0` };
    const rows = (await this.#statements.read(path === "" ? "changesOfTree" : "changesOfPath", {
      ...{ user, version, after, oldest, limit: max },
      ...range,
    })).map(toState);
    const isEnd = rows.length < max;
    const groups = [...Map.groupBy(rows, (row) => `${row.version} ${row.path}`).values()];
    const whole = isEnd ? groups : groups.slice(0, -1);
    const others = await this.#others(user, whole);
    const changes: BareChange[] = [];
    let moved = former === undefined ? undefined : { version, from: former };
    let last: State | undefined;
    for (const states of whole) {
      const [state] = states;
      if (state === undefined) continue;
      // What was at this path before is not what was moved here.
      if (moved !== undefined && state.version < moved.version) break;
      if (changes.length === limit) return { changes, next: placeAfter(last, path, moved) };
      last = state;
      const change = changeOf(states, others);
      if (change === undefined) continue;
      const { formerPath } = change;
      // What moves within the directory is told once, by its new path.
      if (change.path === state.path || !isIn(change.path, path)) changes.push(change);
      if (formerPath !== null && change.path === path) {
        moved = { version: change.version, from: formerPath };
      }
    }
    const lowest = whole.at(-1)?.[0]?.version ?? 0;
    const isDone = isEnd || (moved !== undefined && lowest < moved.version);
    if (!isDone) return { changes, next: placeAfter(last, path, moved) };
    return { changes, next: moved && { version: moved.version - 1, after: "", path: moved.from } };
  }

  /** Where the records of states that stand alone were before, or went. */
  async #others(user: number, groups: readonly (readonly State[])[]) {
    const asked = groups.filter((states) => !isReplaced(states)).flatMap((states) =>
      states.map(({ id, version }) => ({ id, version }))
    );
    const rows = asked.length === 0
      ? []
      : await this.#statements.read("statesOf", { user, asked: JSON.stringify(asked) });
    return new Map(rows.map((row) => [
      keyOf(Number(row.id), Number(row.version), Number(row.begins) === 1),
      String(row.path),
    ]));
  }

  async #described(user: number, changes: readonly BareChange[]): Promise<TreeChange[]> {
    const notes = await this.#notes(user, changes.map(({ version }) => version));
    return changes.map((change) => ({ ...change, ...notes(change.version) }));
  }

  /** What is known of versions. */
  async #notes(user: number, of: readonly number[]) {
    const versions = [...new Set(of)];
    const rows = versions.length === 0 ? [] : await this.#statements.read("notes", {
      user,
      versions: JSON.stringify(versions.map((version) => ({ version }))),
    });
    const notes = new Map(rows.map((row) => [Number(row.version), row]));
    return (version: number) => {
      const note = notes.get(version);
      return {
        time: Number(note?.made_at ?? 0),
        author: numberOrNull(note?.author) ?? user,
        message: textOrNull(note?.message),
      };
    };
  }
}

/** Whether what was deleted is not there again, and was not merged into something else. */
function isGone(row: SqlRow): boolean {
  const isDir = Number(row.is_dir) === 1;
  if (isDir && Number(row.files) === 0 && Number(row.merged) === 1) return false;
  if (row.present_hash !== row.hash) return true;
  return isDir && (
    Number(row.present_files) !== Number(row.files) ||
    Number(row.present_bytes) !== Number(row.bytes)
  );
}

/** What the states of one path that begin and end with a version tell. */
function changeOf(
  states: readonly State[],
  others: ReadonlyMap<string, string>,
): BareChange | undefined {
  const begun = states.find(({ begins }) => begins);
  const ended = states.find(({ begins }) => !begins);
  if (begun === undefined) {
    if (ended === undefined) return undefined;
    const path = others.get(keyOf(ended.id, ended.version, true));
    return path === undefined
      ? changed("deleted", ended)
      : { ...changed("moved", ended), path, formerPath: ended.path };
  }
  const former = others.get(keyOf(begun.id, begun.version, false));
  if (former !== undefined && former !== begun.path) {
    return { ...changed("moved", begun), formerPath: former };
  }
  if (ended === undefined) return changed("added", begun);
  // A directory in the place of another one is no news.
  return begun.isDir && ended.isDir ? undefined : changed("replaced", begun);
}

function changed(
  action: ChangeAction,
  { version, path, hash, size, isDir }: State,
): BareChange {
  return { action, version, path, formerPath: null, hash, size, isDir };
}

/** Whether a record stays at its path with other content. */
function isReplaced([first, second]: readonly State[]): boolean {
  return second !== undefined && first?.id === second.id;
}

function toCommit(row: SqlRow): KeptCommit {
  return {
    directory: String(row.directory),
    version: Number(row.version),
    commitId: String(row.commit_id),
    modifiedAt: Number(row.modified_at),
  };
}

function placeAfter(
  last: State | undefined,
  path: string,
  moved: { readonly version: number; readonly from: string } | undefined,
): LogPlace | undefined {
  if (last === undefined) return undefined;
  const { version } = last;
  const former = moved?.version === version ? moved.from : undefined;
  return { version, after: last.path, path, former };
}

function isIn(path: string, directory: string): boolean {
  return directory === "" || path === directory || isBelow(path, directory);
}

function keyOf(id: number, version: number, begins: boolean): string {
  return `${id} ${version} ${begins}`;
}

function toState(row: SqlRow): State {
  return {
    version: Number(row.version),
    path: String(row.path),
    id: Number(row.id),
    hash: String(row.hash),
    size: Number(row.size),
    isDir: Number(row.is_dir) === 1,
    begins: Number(row.begins) === 1,
  };
}
