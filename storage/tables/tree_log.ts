import type {
  CommitStore,
  KeptCommit,
  LogPage,
  LogPlace,
  LogQuery,
  TrashPage,
  TrashQuery,
  TreeChange,
} from "../../core/history.ts";
import { numberOrNull, type SqlRow, type Statements, textOrNull } from "./dialect.ts";
import type { BareChange } from "./log_states.ts";
import type { LogStatement } from "./log_statements.ts";
import { LogWalk } from "./log_walk.ts";
import type { TrashStatement } from "./trash_statements.ts";

/** Where lists begin. */
const START = { version: Number.MAX_SAFE_INTEGER, after: "" };
/** The most steps of a page: it may have fewer entries than were asked for, and even none. */
const MAX_STEPS = 10;
/** About how many states are read for a page of changes, in as many steps at most. */
const MAX_COST = 4000;
/** Of how many states a step asks whether they were deleted as a whole. */
const TRASH_STATES = 5000;

/** Tells what has changed in trees. See docs/design/past.md. */
export class TreeLog {
  readonly #statements: Statements<LogStatement | TrashStatement>;

  constructor(statements: Statements<LogStatement | TrashStatement>) {
    this.#statements = statements;
  }

  /**
   * {@link HistoryStore.log}
   *
   * @param oldest The first version that can be read. What made it is not known any more.
   */
  async page({ userId, path, place, limit }: LogQuery, oldest: number): Promise<LogPage> {
    const changes: TreeChange[] = [];
    const walk = new LogWalk(this.#statements);
    let next: LogPlace | undefined = place ?? { ...START, path };
    for (let cost = 0; next !== undefined && changes.length < limit && cost < MAX_COST;) {
      const asked = { user: userId, oldest, limit: limit - changes.length };
      const step = await walk.step(asked, next);
      changes.push(...await this.#described(userId, step.changes));
      next = step.next;
      cost += step.cost;
    }
    return { changes, next };
  }

  /** {@link HistoryStore.trash} */
  async trash({ userId: user, place, limit }: TrashQuery, oldest: number): Promise<TrashPage> {
    const rows: SqlRow[] = [];
    let next: TrashPage["next"] = place ?? START;
    for (let steps = 0; next !== undefined && rows.length < limit && steps < MAX_STEPS; steps++) {
      const step = await this.#deleted(user, oldest, next, limit - rows.length);
      rows.push(...step.rows);
      next = step.next;
    }
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
      next,
    };
  }

  /** Some of what was deleted as a whole, from a place on, by versions that have ended a number of states. */
  async #deleted(
    user: number,
    oldest: number,
    { version, after }: Pick<LogPlace, "version" | "after">,
    limit: number,
  ) {
    const [behind] = await this.#statements.read("versionBehind", {
      ...{ user, oldest, version },
      states: TRASH_STATES,
    });
    // Each version is looked at whole.
    const rest = behind === undefined
      ? undefined
      : { version: Number(behind.version) - 1, after: "" };
    const found = await this.#statements.read("trash", {
      ...{ user, version, after },
      oldest: rest?.version ?? oldest,
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const end = found.length > limit ? rows.at(-1) : undefined;
    const next = end === undefined
      ? rest
      : { version: Number(end.version), after: String(end.path) };
    return { rows, next };
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

/** Whether what was deleted is not there again, nor was deleted again, and was not merged into something else. */
function isGone(row: SqlRow): boolean {
  if (Number(row.again) === 1) return false;
  const isDir = Number(row.is_dir) === 1;
  if (isDir && Number(row.files) === 0 && Number(row.merged) === 1) return false;
  if (row.present_hash !== row.hash) return true;
  return isDir && row.present_contents !== row.contents;
}

function toCommit(row: SqlRow): KeptCommit {
  return {
    directory: String(row.directory),
    version: Number(row.version),
    commitId: String(row.commit_id),
    modifiedAt: Number(row.modified_at),
  };
}
