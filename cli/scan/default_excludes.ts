import { type PathMatcher, pathMatcher } from "../../core/glob.ts";

/**
 * Directories that a scan leaves out where it finds them: what tools keep for themselves and make anew.
 * They hold thousands of files, none of which a loader of models opens.
 */
export const DEFAULT_EXCLUDES: readonly string[] = [
  // History of a repository; what is checked out is outside.
  ".git",
  ".hg",
  ".svn",
  // Installed programs, and what interpreters compile and checkers keep.
  "node_modules",
  ".venv",
  "__pycache__",
  ".ipynb_checkpoints",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".tox",
  // Locks and states of downloads from a hub; the files themselves are outside.
  ".locks",
  ".cache/huggingface/download",
];

/** Whether a path matches one of the patterns. */
export function anyMatcher(patterns: readonly string[]): PathMatcher {
  const matchers = patterns.map(pathMatcher);
  return (path) => matchers.some((matches) => matches(path));
}
