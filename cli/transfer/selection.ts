import { pathMatcher } from "../../core/glob.ts";
import { parentOf } from "../../core/paths.ts";

/** What of the sources a transfer copies, and what of the target it may delete. */
export interface Selection {
  /** Whether it leaves out anything. */
  readonly isPartial: boolean;
  /** Whether a path is left out, with all that is below it. */
  isExcluded(path: string): boolean;
  /** Whether a path is copied, if it is not excluded. What is below a directory that is not may still be. */
  isIncluded(path: string): boolean;
}

/** A selection by patterns. Each one stands for what it matches, and for all that is below that. */
export function selectionOf(
  { include, exclude }: {
    readonly include: readonly string[];
    readonly exclude: readonly string[];
  },
): Selection {
  return {
    isPartial: include.length + exclude.length > 0,
    isExcluded: anyOf(exclude),
    isIncluded: include.length === 0 ? () => true : anyOf(include),
  };
}

/** Returns a function that says whether a path, or a directory above it, matches a pattern. */
function anyOf(given: readonly string[]): (path: string) => boolean {
  const matchers = given.map(pathMatcher);
  const matches = (path: string): boolean =>
    path !== "" && (matchers.some((it) => it(path)) || matches(parentOf(path)));
  return matches;
}
