/** Why it is unsafe to unpack a member under its name. */
export type PathFault = "absolute" | "drive" | "traversal" | "control character" | "too long";

/** The longest name accepted, in UTF-16 code units. */
const MAX_NAME_LENGTH = 512;

/**
 * How many bytes of a name are kept in memory. A longer name exceeds `MAX_NAME_LENGTH` in every
 * encoding, so cutting it here does not hide that.
 */
export const MAX_KEPT_NAME_BYTES = 4 * MAX_NAME_LENGTH;

const SYSTEM_DIRECTORY =
  /^(?:\/(?:etc|bin|usr|var|lib|lib64|boot|sys|proc|dev|sbin|root)(?:\/|$)|[a-z]:\/windows(?:\/|$))/i;

/** The name of a member for lists and records, shortened if it is too long. */
export function listedName(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}…` : name;
}

/**
 * Why it is unsafe to unpack a member under its name (scanning 2.7). Backslashes count as slashes.
 *
 * @returns the fault, or undefined if the name is safe.
 */
export function pathFault(name: string): PathFault | undefined {
  const path = name.replaceAll("\\", "/");
  if (path.startsWith("/")) return "absolute";
  if (/^[a-z]:/i.test(path)) return "drive";
  if (leavesBase(path.split("/"))) return "traversal";
  // deno-lint-ignore no-control-regex -- control characters are the target
  if (/[\0-\x1f\x7f]/.test(path)) return "control character";
  return name.length > MAX_NAME_LENGTH ? "too long" : undefined;
}

/**
 * Whether the target of a link is outside the archive.
 *
 * @param name The member whose directory the target is relative to.
 */
export function linkEscapes(name: string, target: string): boolean {
  const path = target.replaceAll("\\", "/");
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return true;
  const folder = name.replaceAll("\\", "/").split("/").slice(0, -1);
  return leavesBase([...folder, ...path.split("/")]);
}

/** Whether a path is in a system directory of Unix or Windows, ignoring leading `../` segments. */
export function isSystemPath(path: string): boolean {
  return SYSTEM_DIRECTORY.test(path.replaceAll("\\", "/").replace(/^(?:\.{0,2}\/)+/, "/"));
}

function leavesBase(segments: readonly string[]): boolean {
  let depth = 0;
  for (const segment of segments) {
    if (segment === "..") depth--;
    else if (segment !== "" && segment !== ".") depth++;
    if (depth < 0) return true;
  }
  return false;
}
