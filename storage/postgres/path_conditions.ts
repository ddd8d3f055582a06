/**
 * SQL conditions on paths that the indexes of records help with. Those have the first characters of paths
 * only (see migrations/0001_records.sql). All arguments are SQL expressions, such as columns or parameters.
 */

/** The part of a path that indexes of paths have. */
export function indexed(path: string): string {
  return `left(${path}, 600)`;
}

/** The path `path` is `value`. */
export function isPath(path: string, value: string): string {
  return `(${indexed(path)} = ${indexed(value)} AND ${path} = ${value})`;
}

/** The parent `parent` is `value`. */
export function isParent(parent: string, value: string): string {
  return `(left(${parent}, 550) = left(${value}, 550) AND ${parent} = ${value})`;
}

/** The record is directly under the root. */
export function isTopLevel(parent: string): string {
  return `left(${parent}, 550) IS NULL`;
}

/** The path `path` is after `low`, and before `high`. */
export function isBetween(path: string, low: string, high: string): string {
  return `(${indexed(path)} >= ${indexed(low)} AND ${indexed(path)} <= ${indexed(high)}
    AND ${path} > ${low} AND ${path} < ${high})`;
}

/** The path `path` is below `root`, at any depth: "0" follows "/" in ASCII. */
export function isBelow(path: string, root: string): string {
  return isBetween(path, `${root} || '/'`, `${root} || '0'`);
}

/** The order of the bytes of paths (C 4). */
export function byPath(path: string): string {
  return `${indexed(path)}, ${path}`;
}
