/** What makes the name of a member unsafe to unpack. */
export type PathFault = "absolute" | "drive" | "traversal" | "control character" | "too long";

/** The longest name that an honest member has, in UTF-16 code units. */
const LONGEST_NAME = 512;

/** Bytes of a name that are kept: if it has more, it is too long in every encoding. */
export const KEPT_NAME_BYTES = 4 * LONGEST_NAME;

/** The name of a member as it is listed, cut short where it is too long. */
export function listedName(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name;
}

const SYSTEM_DIRECTORY =
  /^(?:\/(?:etc|bin|usr|var|lib|lib64|boot|sys|proc|dev|sbin|root)(?:\/|$)|[a-z]:\/windows(?:\/|$))/i;

/**
 * Why a member must not be unpacked under its name (scanning 2.7), backslashes counting as slashes.
 *
 * @returns undefined where the name stays within the folder that it is unpacked to.
 */
export function pathFault(name: string): PathFault | undefined {
  const path = name.replaceAll("\\", "/");
  if (path.startsWith("/")) return "absolute";
  if (/^[a-z]:/i.test(path)) return "drive";
  if (leavesBase(path.split("/"))) return "traversal";
  // deno-lint-ignore no-control-regex -- these are what is looked for
  if (/[\0-\x1f\x7f]/.test(path)) return "control character";
  return name.length > LONGEST_NAME ? "too long" : undefined;
}

/**
 * Whether what a symbolic link points to is outside of the archive.
 *
 * @param name the member that is the link; what it points to counts from its folder.
 */
export function linkEscapes(name: string, target: string): boolean {
  const path = target.replaceAll("\\", "/");
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) return true;
  const folder = name.replaceAll("\\", "/").split("/").slice(0, -1);
  return leavesBase([...folder, ...path.split("/")]);
}

/** Whether a path is in a directory of the system. */
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
