import { baseName, parentPath } from "../contract/names.ts";

const LICENSE_FILE = /^(licen[cs]e|copying|notice|copyright|legal)(\.(txt|md|rst))?$/i;
const MAX_FOLDERS_UP = 2;
const MAX_FILES = 10;

/** Finds the license files that apply to a file, among the paths of a scan (SR 2.5). */
export class LicenseFiles {
  readonly #byDirectory = new Map<string, string[]>();

  /** Adds paths of the scan. */
  add(paths: readonly string[]): void {
    for (const path of paths) {
      if (LICENSE_FILE.test(baseName(path))) this.#keep(path);
    }
  }

  /** Returns up to ten, from the file's directory and the two above it, nearest first. */
  near(path: string): string[] {
    const found: string[] = [];
    let directory = parentPath(path);
    for (let up = 0; up <= MAX_FOLDERS_UP; up++) {
      found.push(...this.#byDirectory.get(directory) ?? []);
      if (directory === "") break;
      directory = parentPath(directory);
    }
    return found.filter((it) => it !== path).slice(0, MAX_FILES);
  }

  /** Keeps one more than {@link near} returns, since that leaves out the file itself. */
  #keep(path: string): void {
    const directory = parentPath(path);
    const known = this.#byDirectory.get(directory);
    if (known === undefined) this.#byDirectory.set(directory, [path]);
    else if (known.length <= MAX_FILES) known.push(path);
  }
}
