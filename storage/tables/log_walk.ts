import type { LogPlace } from "../../core/history.ts";
import { compareBytewise } from "../../core/paths.ts";
import { numberOrNull, type SqlParameters, type SqlRow, type Statements } from "./dialect.ts";
import {
  type BareChange,
  changeOf,
  isIn,
  isReplaced,
  keyOf,
  type State,
  toState,
} from "./log_states.ts";
import type { LogStatement } from "./log_statements.ts";

/** About how many states a step reads. */
const STEP_STATES = 1000;
/** A version with more states is read by path: to find those of some paths, many others are read. */
const WHOLE_STATES = 5000;
/** As many versions are looked at for them. */
const STEP_VERSIONS = 128;
/** Paths with no more rows are read by path, and by version otherwise. */
const NARROW_ROWS = 5000;
/** Those with more are read by version as long as it tells of them: to count more rows takes long. */
const FEW_ROWS = 200;
/** No path has a character beyond. */
const LAST_CHARACTER = "\u{10FFFF}";
/** No path has a character before (C 4). */
const FIRST_CHARACTER = "\u0001";

/** What a page has so far. */
interface Step {
  readonly changes: readonly BareChange[];
  readonly next: LogPlace | undefined;
  /** What it has cost: how many states were read, and {@link STEP_STATES} at least. */
  readonly cost: number;
}

/** States of all versions and paths from a place up to where another step goes on. */
interface Found {
  readonly states: readonly State[];
  readonly rest: Pick<LogPlace, "version" | "after"> | undefined;
  /** How many states were read for them. */
  readonly read: number;
}

/** Which changes are asked for: below a path, of versions above the oldest one. */
interface Walk {
  readonly user: number;
  readonly path: string;
  readonly oldest: number;
}

/** A version with changes, as rows know it. */
interface Made {
  readonly version: number;
  /** The number by which rows state it. */
  readonly stated: number;
  readonly states: number;
  /** The ids between which those of all records are that it has added. */
  readonly added: { readonly lowest: number; readonly highest: number } | undefined;
}

/** Goes through the changes of a tree for one page, newest first, in steps of bounded cost. See docs/design/past.md. */
export class LogWalk {
  readonly #statements: Statements<LogStatement>;
  /** The paths at which some versions have changed nothing. */
  readonly #quiet = new Set<string>();
  /** Which paths have no more rows than some. */
  readonly #narrow = new Map<string, boolean>();

  constructor(statements: Statements<LogStatement>) {
    this.#statements = statements;
  }

  /** Some changes of what is at one path, up to the version that moved it there. */
  async step(
    { user, oldest, limit }: Omit<Walk, "path"> & { readonly limit: number },
    place: LogPlace,
  ): Promise<Step> {
    const { path, former } = place;
    const found = await this.#find({ user, path, oldest }, place);
    if (found.states.length === 0) this.#quiet.add(path);
    const cost = Math.max(found.read, STEP_STATES);
    const all = [
      ...Map.groupBy(found.states, (state) => `${state.version} ${state.path}`).values(),
    ];
    // Few groups tell of no change.
    const groups = all.slice(0, 2 * limit);
    const end = groups.length < all.length ? groups.at(-1)?.[0] : undefined;
    const rest = end === undefined ? found.rest : { version: end.version, after: end.path };
    const others = await this.#others(user, groups);
    const changes: BareChange[] = [];
    let moved = former === undefined ? undefined : { version: place.version, from: former };
    const goOn = ({ version, after }: Pick<LogPlace, "version" | "after">): LogPlace => ({
      ...{ version, after, path },
      former: moved?.version === version ? moved.from : undefined,
    });
    let last: State | undefined;
    for (const group of groups) {
      const [state] = group;
      if (state === undefined) continue;
      // What was at this path before is not what was moved here.
      if (moved !== undefined && state.version < moved.version) break;
      if (changes.length === limit && last !== undefined) {
        return { changes, next: goOn({ version: last.version, after: last.path }), cost };
      }
      last = state;
      const change = changeOf(group, others);
      if (change === undefined) continue;
      const { formerPath } = change;
      // What moves within the directory is told once, by its new path.
      if (change.path === state.path || !isIn(change.path, path)) changes.push(change);
      if (formerPath !== null && change.path === path) {
        moved = { version: change.version, from: formerPath };
      }
    }
    if (moved !== undefined && (rest === undefined || rest.version < moved.version)) {
      return { changes, next: { version: moved.version - 1, after: "", path: moved.from }, cost };
    }
    return { changes, next: rest && goOn(rest), cost };
  }

  async #find(walk: Walk, place: LogPlace): Promise<Found> {
    if (await this.#isNarrow(walk, this.#quiet.has(walk.path) ? NARROW_ROWS : FEW_ROWS)) {
      return await this.#byPath(walk, place);
    }
    const made = await this.#versions(walk, place);
    const [newest] = made;
    if (newest === undefined) return { states: [], rest: undefined, read: 0 };
    // What is fresh may be all that a version has.
    if (newest.states > WHOLE_STATES) return await this.#part(walk, place, newest);
    const chosen: Made[] = [];
    let sum = 0;
    for (const version of made) {
      sum += version.states;
      if (chosen.length > 0 && sum > STEP_STATES) break;
      chosen.push(version);
    }
    const isLast = chosen.length === made.length && made.length < STEP_VERSIONS;
    const rest = isLast ? undefined : { version: (chosen.at(-1) ?? newest).version - 1, after: "" };
    const read = chosen.reduce((sum, { states }) => sum + states, 0);
    return { states: await this.#whole(walk, place, chosen), rest, read };
  }

  /** Whether there are no more rows below a path than some. */
  async #isNarrow({ user, path }: Walk, rows: number): Promise<boolean> {
    const key = `${rows} ${path}`;
    const known = this.#narrow.get(key);
    if (known !== undefined) return known;
    const more = await this.#statements.read("wide", { user, rows, ...pathsBelow(path) });
    this.#narrow.set(key, more.length === 0);
    return more.length === 0;
  }

  /** The changes at and below the path, of all versions. */
  async #byPath({ user, path, oldest }: Walk, { version, after }: LogPlace): Promise<Found> {
    const range: SqlParameters = path === "" ? {} : { path, ...pathsBelow(path) };
    const found = await this.#statements.read(path === "" ? "changesOfTree" : "changesOfPath", {
      ...{ user, version, after, oldest, limit: STEP_STATES },
      ...range,
    });
    const states = found.map(toState);
    const last = states.at(-1);
    const read = found.length;
    if (read < STEP_STATES || last === undefined) return { states, rest: undefined, read };
    // More states of the last path may come.
    const whole = states.filter((it) => it.version !== last.version || it.path !== last.path);
    const end = whole.at(-1);
    return { states: whole, rest: end && { version: end.version, after: end.path }, read };
  }

  /** The newest versions up to the place. */
  async #versions({ user, oldest }: Walk, { version }: LogPlace): Promise<readonly Made[]> {
    const rows = await this.#statements.read("versionsUpTo", {
      ...{ user, oldest, version },
      ...{ limit: STEP_VERSIONS, states: STEP_STATES + 1 },
    });
    const [newest] = rows;
    if (newest !== undefined && Number(newest.states) > STEP_STATES) {
      // Of the others, no step reads as many.
      const [ended] = await this.#statements.read("endedStates", {
        ...{ user, version: Number(newest.version), states: WHOLE_STATES + 1 },
      });
      newest.states = ended?.states ?? 0;
    }
    const fresh = new Map(
      (await this.#statements.read("freshStates", { user }))
        .map((row) => [Number(row.until), Number(row.states)]),
    );
    return rows.map((row) => {
      const made = toMade(row);
      return { ...made, states: made.states + (fresh.get(made.stated) ?? 0) };
    });
  }

  /** All states of whole versions. */
  async #whole(
    { user, path }: Walk,
    { version, after }: LogPlace,
    made: readonly Made[],
  ): Promise<readonly State[]> {
    const versions = JSON.stringify(made.map(({ version, stated }) => ({ version, stated })));
    const ended = (await this.#statements.read("endedBy", { user, versions })).map(toState);
    const stated = new Map(made.map((it) => [it.version, it.stated]));
    const begun = (await this.#statements.read("begunBy", {
      ...{ user, versions },
      kept: JSON.stringify(
        ended.map(({ id, version }) => ({ id, version, stated: stated.get(version) })),
      ),
      added: JSON.stringify(
        made.flatMap(({ version, stated, added }) =>
          added === undefined ? [] : { version, stated, ...added }
        ),
      ),
    })).map(toState);
    return [...ended, ...begun]
      .filter((it) => isIn(it.path, path))
      .filter((it) => it.version < version || compareBytewise(it.path, after) > 0)
      .sort((a, b) => b.version - a.version || compareBytewise(a.path, b.path));
  }

  /** Some states of one version, by path. */
  async #part(walk: Walk, { version, after }: LogPlace, made: Made): Promise<Found> {
    const { user, path } = walk;
    const from = nextPath(path, made.version === version ? after : "");
    if (from === path && path !== "") {
      // Others are between a directory and what is in it.
      const own = await this.#between(walk, made, { from, to: behind(path) });
      const below = await this.#part(walk, { version: made.version, after: path, path }, made);
      return { ...below, states: [...own, ...below.states], read: own.length + below.read };
    }
    const { end } = pathsBelow(path);
    const [found] = await this.#statements.read("pathAfter", {
      ...{ user, from, end, rows: STEP_STATES },
    });
    const last = found?.path;
    const to = typeof last === "string" ? behind(last) : end;
    const states = await this.#between(walk, made, { from, to });
    const rest = typeof last === "string"
      ? { version: made.version, after: last }
      : { version: made.version - 1, after: "" };
    return { states, rest, read: states.length };
  }

  /** The states of one version between two paths. */
  async #between(
    { user }: Walk,
    { version, stated }: Made,
    paths: { readonly from: string; readonly to: string },
  ): Promise<readonly State[]> {
    return (await this.#statements.read("changesOfVersion", { user, version, stated, ...paths }))
      .map(toState);
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
}

/** The paths below one are those between these. */
function pathsBelow(path: string): { readonly first: string; readonly end: string } {
  return path === "" ? { first: "", end: LAST_CHARACTER } : { first: `${path}/`, end: `${path}0` };
}

/** A text after a path, and before each other path after it. */
function behind(path: string): string {
  return `${path}${FIRST_CHARACTER}`;
}

/** Where those at and below a path go on after one, or begin if that is before them. */
function nextPath(path: string, after: string): string {
  if (compareBytewise(after, path) < 0 || after === "") return path;
  const { first } = pathsBelow(path);
  return compareBytewise(behind(after), first) < 0 ? first : behind(after);
}

function toMade(row: SqlRow): Made {
  const version = Number(row.version);
  const change = numberOrNull(row.change);
  const [lowest, highest] = [numberOrNull(row.first_added), numberOrNull(row.last_added)];
  const added = lowest === null || highest === null ? undefined : { lowest, highest };
  const more = added === undefined ? 0 : added.highest - added.lowest + 1;
  const stated = change === null ? version : -change;
  return { version, stated, states: Number(row.states) + more, added };
}
