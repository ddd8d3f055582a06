import type { ChangeAction, TreeChange } from "../../core/history.ts";
import { isBelow } from "../../core/paths.ts";
import type { SqlRow } from "./dialect.ts";

/** A state of a record that begins or ends with a version. */
export interface State {
  readonly version: number;
  readonly path: string;
  readonly id: number;
  readonly hash: string;
  readonly size: number;
  readonly isDir: boolean;
  readonly begins: boolean;
}

/** A change without what is known of its version. */
export type BareChange = Omit<TreeChange, "time" | "author" | "message">;

/** What the states of one path that begin and end with a version tell. */
export function changeOf(
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
export function isReplaced([first, second]: readonly State[]): boolean {
  return second !== undefined && first?.id === second.id;
}

/** Whether a path is that of a directory, or below it. */
export function isIn(path: string, directory: string): boolean {
  return directory === "" || path === directory || isBelow(path, directory);
}

/** A record whose state begins or ends with a version. */
export function keyOf(id: number, version: number, begins: boolean): string {
  return `${id} ${version} ${begins}`;
}

export function toState(row: SqlRow): State {
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
