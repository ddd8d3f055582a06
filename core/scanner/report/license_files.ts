import { baseName, parentPath } from "../contract/names.ts";

const LICENCE_FILE = /^(licen[cs]e|copying|notice|copyright|legal)(\.(txt|md|rst))?$/i;
const FOLDERS_UP = 2;
const MOST = 10;

/** Finds the licence files that speak for a file, among the paths of a scan. */
export class LicenseFiles {
  readonly #byDirectory = new Map<string, string[]>();

  constructor(paths: Iterable<string>) {
    for (const path of paths) {
      if (LICENCE_FILE.test(baseName(path))) this.#add(path);
    }
  }

  /** Those beside the file and in the two directories above it, the nearest first; ten at most. */
  near(path: string): string[] {
    const found: string[] = [];
    let directory = parentPath(path);
    for (let up = 0; up <= FOLDERS_UP; up++) {
      found.push(...this.#byDirectory.get(directory) ?? []);
      if (directory === "") break;
      directory = parentPath(directory);
    }
    return found.filter((it) => it !== path).slice(0, MOST);
  }

  /** Keeps one more than is told, for the one that is asked about itself. */
  #add(path: string): void {
    const directory = parentPath(path);
    const known = this.#byDirectory.get(directory);
    if (known === undefined) this.#byDirectory.set(directory, [path]);
    else if (known.length <= MOST) known.push(path);
  }
}
