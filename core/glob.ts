/** A pattern for paths, compiled. */
export type PathMatcher = (path: string) => boolean;

/**
 * Compiles a pattern for paths: `*` stands for any characters but a slash, `?` for one, and `**` for
 * any number of whole segments. A pattern may match the end of a path, so that one without a slash is
 * for names; one that begins with `/` matches the whole path. A slash at its end is ignored.
 *
 * Takes time in proportion to the lengths of pattern and path multiplied.
 */
export function pathMatcher(pattern: string): PathMatcher {
  const segments = segmentsOf(pattern);
  const all = pattern.startsWith("/") ? segments : ["**", ...segments];
  return (path) => matchesSegments(all, segmentsOf(path));
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((it) => it !== "" && it !== ".");
}

function matchesSegments(pattern: readonly string[], path: readonly string[]): boolean {
  return matchesSequence(pattern, path, {
    isMany: (it) => it === "**",
    matches: (one, segment) => matchesSegment(one, segment),
  });
}

function matchesSegment(pattern: string, segment: string): boolean {
  return matchesSequence([...pattern], [...segment], {
    isMany: (it) => it === "*",
    matches: (one, character) => one === "?" || one === character,
  });
}

/**
 * Matches parts of a pattern with a sequence. Goes back only to the last part that stands for many, as
 * whatever an earlier one would take in addition, the last one can take instead.
 */
function matchesSequence(
  pattern: readonly string[],
  sequence: readonly string[],
  { isMany, matches }: {
    readonly isMany: (part: string) => boolean;
    readonly matches: (part: string, one: string) => boolean;
  },
): boolean {
  let part = 0;
  let many = -1;
  let resume = 0;
  for (let at = 0; at < sequence.length;) {
    const wanted = pattern[part];
    if (wanted !== undefined && isMany(wanted)) {
      many = part++;
      resume = at;
    } else if (wanted !== undefined && matches(wanted, sequence[at] ?? "")) {
      part++;
      at++;
    } else if (many >= 0) {
      part = many + 1;
      at = ++resume;
    } else return false;
  }
  return pattern.slice(part).every(isMany);
}
