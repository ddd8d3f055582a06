/** The name by which services for code know the root of the repository. */
export const BASE_ID = "%SRCROOT%";

export interface UriBase {
  /**
   * The absolute path of the directory that relative paths count from.
   *
   * @default absolute paths stay absolute
   */
  readonly base?: string;
}

/** Declares the base of relative references. Where it is, only the reader of the log knows. */
export const BASE_IDS = {
  [BASE_ID]: { description: { text: "The directory that the scan was started in" } },
};

/** An artifact location: a reference relative to the base where possible, else a file URI. */
export function uriOf(path: string, { base }: UriBase): { uri: string; uriBaseId?: string } {
  const inBase = base === undefined ? path : relativeTo(path, base);
  if (inBase.startsWith("/")) return { uri: `file://${encoded(inBase)}` };
  return { uri: encoded(inBase), uriBaseId: BASE_ID };
}

/** The path without the base in front, and without segments that lead nowhere. */
function relativeTo(path: string, base: string): string {
  const absolute = normalized(path.startsWith("/") ? path : `${base}/${path}`);
  const root = normalized(base);
  const prefix = root === "/" ? root : `${root}/`;
  return absolute.startsWith(prefix) ? absolute.slice(prefix.length) : absolute;
}

function normalized(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  }
  return `/${segments.join("/")}`;
}

/** A path as a relative reference (RFC 3986). */
function encoded(path: string): string {
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
