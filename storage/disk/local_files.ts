import { basename, dirname, resolve } from "node:path";
import { orMissing } from "./files.ts";

/** A file that was named, or found below a directory that was named. */
export type LocalFile =
  | { readonly path: string; readonly size: number }
  /** A path that cannot be scanned, and the reason. */
  | { readonly path: string; readonly error: string };

export interface LocalFilesOptions {
  /** Whether to leave out a file, or a directory with all that is in it. @default none */
  readonly isExcluded?: (path: string) => boolean;
  /** Whether to leave out a directory that was found, but not one that was named. @default none */
  readonly isSkippedDirectory?: (path: string) => boolean;
}

export interface FoundFiles {
  /** Sorted by path. */
  readonly files: readonly LocalFile[];
  /** The files and directories that were left out, sorted. */
  readonly excluded: readonly string[];
}

/**
 * Finds the files at and below paths. A file that is named in several ways, such as `a` and `./a`, is
 * found once.
 *
 * Follows links to files wherever they lead, since a loader would. Follows a link to a directory only
 * if it is named itself, as others may form cycles. One that leads into a directory that is walked
 * anyway adds nothing. In the cache of a model hub, files are found by the names of the links to them.
 */
export async function localFiles(
  paths: readonly string[],
  options: LocalFilesOptions = {},
): Promise<FoundFiles> {
  const walk = new Walk(options);
  for (const path of paths) await walk.enter(withoutSlashes(path), { named: true });
  return await walk.finish();
}

/** The path without slashes at its end. The root stays. */
function withoutSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path[end - 1] === "/") end--;
  return path.slice(0, end);
}

/** How the cache of a model hub names content: `blobs/` and a hash. */
const HUB_CONTENT = /(?:^|\/)blobs\/(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

class Walk {
  readonly #options: LocalFilesOptions;
  readonly #found = new Map<string, LocalFile>();
  readonly #excluded = new Set<string>();
  readonly #skipped = new Set<string>();
  /** Directories that were walked, and links to directories that were found, by their real paths. */
  readonly #directories = new Set<string>();
  readonly #directoryLinks = new Map<string, string>();
  /** The real paths of links to content of hubs. */
  readonly #linkedContent = new Set<string>();

  constructor(options: LocalFilesOptions) {
    this.#options = options;
  }

  async enter(path: string, { named }: { named: boolean }): Promise<void> {
    try {
      await this.#enter(path, named);
    } catch (error) {
      if (error instanceof Deno.errors.NotCapable) throw error;
      if (!(error instanceof Error)) throw error;
      this.#add({ path, error: `Not readable (${error.name})` });
    }
  }

  async #enter(path: string, named: boolean): Promise<void> {
    const { isExcluded, isSkippedDirectory } = this.#options;
    if (isExcluded?.(path)) {
      this.#excluded.add(path);
      return;
    }
    const info = await orMissing(Deno.stat(path));
    if (info === undefined) this.#add({ path, error: "No such file" });
    else if (info.isFile) await this.#addFile(path, info.size);
    else if (!info.isDirectory) this.#add({ path, error: "Not a regular file" });
    else if (!named && (await Deno.lstat(path)).isSymlink) {
      this.#directoryLinks.set(path, await Deno.realPath(path));
    } else if (!named && isSkippedDirectory?.(path)) this.#skipped.add(path);
    else await this.#enterDirectory(path);
  }

  async #enterDirectory(path: string): Promise<void> {
    this.#directories.add(await Deno.realPath(path));
    for await (const { name } of Deno.readDir(path)) {
      await this.enter(path === "/" ? `/${name}` : `${path}/${name}`, { named: false });
    }
  }

  async #addFile(path: string, size: number): Promise<void> {
    if ((await Deno.lstat(path)).isSymlink) {
      const target = await Deno.realPath(path);
      if (HUB_CONTENT.test(target)) this.#linkedContent.add(target);
    }
    this.#add({ path, size });
  }

  #add(file: LocalFile): void {
    const absolute = resolve(Deno.cwd(), file.path);
    if (!this.#found.has(absolute)) this.#found.set(absolute, file);
  }

  async finish(): Promise<FoundFiles> {
    for (const [path, target] of this.#directoryLinks) {
      if (this.#directories.has(target)) continue;
      this.#add({ path, error: "Link to a directory, which is not followed" });
    }
    for (const absolute of this.#found.keys()) {
      if (await this.#isLinkedContent(absolute)) this.#found.delete(absolute);
    }
    for (const path of this.#skipped) {
      // It may have been named as well.
      if (!this.#directories.has(await Deno.realPath(path))) this.#excluded.add(path);
    }
    const files = [...this.#found.values()].sort((a, b) => a.path < b.path ? -1 : 1);
    return { files, excluded: [...this.#excluded].sort() };
  }

  /** Whether a file is content of a hub that was found by the name of a link to it. */
  async #isLinkedContent(absolute: string): Promise<boolean> {
    if (this.#linkedContent.size === 0 || !HUB_CONTENT.test(absolute)) return false;
    const real = `${await Deno.realPath(dirname(absolute))}/${basename(absolute)}`;
    return this.#linkedContent.has(real);
  }
}
