/** Whether a version such as `3.11.2` precedes another. Anything after the numbers is ignored. */
function isBefore(version: string, other: string): boolean {
  const [these, those] = [numbersOf(version), numbersOf(other)];
  for (let index = 0; index < 3; index++) {
    const difference = (these[index] ?? 0) - (those[index] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function numbersOf(version: string): number[] {
  const [, numbers = ""] = /^(\d{1,6}(?:\.\d{1,6}){0,2})/.exec(version) ?? [];
  return numbers.split(".").map(Number);
}

/** Whether a version is valid and within [from, to). */
export function isWithin(version: string | undefined, from: string, to: string): boolean {
  return version !== undefined && isVersion(version) && !isBefore(version, from) &&
    isBefore(version, to);
}

/** Whether a text starts with a version of at least two numbers. */
export function isVersion(version: string): boolean {
  return /^\d{1,6}\.\d{1,6}/.test(version);
}
