/**
 * The SQL condition that the path `path` is below the path `root`, at any depth. Both are SQL
 * expressions, such as a column or a parameter.
 *
 * All such paths sort from `root/` up to, but not including, `root0`, as "0" follows "/" in ASCII.
 * Therefore an index on paths finds them as one range.
 */
export function descendantOf(path: string, root: string): string {
  return `(${path} > ${root} || '/' AND ${path} < ${root} || '0')`;
}
