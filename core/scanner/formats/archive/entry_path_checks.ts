import { excerpt, quotedExcerpt } from "../../contract/excerpt.ts";
import type { Check } from "../../contract/scanner.ts";
import type { Checklist } from "../../contract/checklist.ts";
import { isSystemPath, linkEscapes, pathFault } from "./entry_path.ts";

/** Checks of names and links that all archive formats share. */
export type EntryCheck = "Archive Entry Path" | "Archive Link" | "Archive Duplicate Entry";

/** Checks that it is safe to unpack a member under its name (scanning 2.7). */
export function* checkEntryPath(
  name: string,
  position: number,
  checks: Checklist<EntryCheck>,
): Generator<Check, void, void> {
  const fault = pathFault(name);
  if (!fault) return;
  yield* checks.emit("Archive Entry Path", {
    severity: fault === "control character" || fault === "too long" ? "warning" : "critical",
    message: `Entry ${quotedExcerpt(name)} has an unsafe name: ${fault}`,
    ruleCode: "S405",
    details: { entry: excerpt(name), fault },
    position,
  });
}

/**
 * Checks that no earlier member has the same name.
 *
 * @param seen Names of the earlier members. The name is added to it.
 */
export function* checkDuplicate(
  name: string,
  position: number,
  seen: Set<string>,
  checks: Checklist<EntryCheck>,
): Generator<Check, void, void> {
  const path = name.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  if (!seen.has(path)) {
    seen.add(path);
    return;
  }
  yield* checks.emit("Archive Duplicate Entry", {
    severity: "warning",
    message: `Entry ${quotedExcerpt(name)} occurs more than once`,
    ruleCode: "S902",
    why: "Loaders differ in which of the entries they read",
    details: { entry: excerpt(name) },
    position,
  });
}

/**
 * Checks that the target of a link is inside the archive.
 *
 * @param link `base` is the member whose directory the target is relative to: the link itself, or ""
 *   for the root of the archive.
 */
export function* checkLink(
  link: { name: string; target: string; base: string; position: number },
  checks: Checklist<EntryCheck>,
): Generator<Check, void, void> {
  const { name, target, base, position } = link;
  const system = isSystemPath(target);
  if (!system && !linkEscapes(base, target)) return;
  yield* checks.emit("Archive Link", {
    severity: "critical",
    message: `Entry ${quotedExcerpt(name)} links outside the archive, to ${quotedExcerpt(target)}`,
    ruleCode: system ? "S408" : "S406",
    details: { entry: excerpt(name), target: excerpt(target) },
    position,
  });
}
