/** What a location of a check or an issue says (C 16). */
export interface Location {
  readonly path: string;
  /** The member of the file, with the containers that it is in. */
  readonly member?: string;
  /** A byte position in the file, or in the member. */
  readonly position?: number;
}

const POSITION = / \(pos (\d{1,16})\)$/;

/**
 * Takes a location apart.
 *
 * @param paths The paths of the report's files, which may themselves hold what separates the parts.
 */
export function locationOf(text: string, paths: ReadonlySet<string>): Location {
  if (paths.has(text)) return { path: text };
  const digits = POSITION.exec(text)?.[1];
  const place = text.replace(POSITION, "");
  const position = digits === undefined ? {} : { position: Number(digits) };
  const path = longestPath(place, paths);
  if (path === undefined || path === place) return { path: place, ...position };
  return { path, member: place.slice(path.length + 1), ...position };
}

function longestPath(place: string, paths: ReadonlySet<string>): string | undefined {
  for (let end = place.length; end > 0; end = place.lastIndexOf(":", end - 1)) {
    const path = place.slice(0, end);
    if (paths.has(path)) return path;
  }
  return undefined;
}
