/** The parts of the location of a check or an issue (C 16). */
export interface Location {
  readonly path: string;
  /** The member of the file, after the containers it is in. */
  readonly member?: string;
  /** Byte position in the file or in the member. */
  readonly position?: number;
}

/** What can follow a path in a location. */
export const LOCATION_SEPARATOR = /:| \(pos /;

const POSITION = / \(pos (\d{1,16})\)$/;

/** What knows the paths of a report's files. */
export type KnownPaths = Pick<ReadonlySet<string>, "has">;

/**
 * Splits a location into its parts.
 *
 * @param paths The paths of the report's files, which may contain the separators themselves.
 */
export function locationOf(text: string, paths: KnownPaths): Location {
  if (paths.has(text)) return { path: text };
  const digits = POSITION.exec(text)?.[1];
  const address = text.replace(POSITION, "");
  const position = digits === undefined ? {} : { position: Number(digits) };
  const path = longestPath(address, paths);
  if (path === undefined || path === address) return { path: address, ...position };
  return { path, member: address.slice(path.length + 1), ...position };
}

function longestPath(address: string, paths: KnownPaths): string | undefined {
  for (let end = address.length; end > 0; end = address.lastIndexOf(":", end - 1)) {
    const path = address.slice(0, end);
    if (paths.has(path)) return path;
  }
  return undefined;
}
