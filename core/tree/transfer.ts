/** What moving and copying have in common: their sources, and the rules of their targets. */

import { type Caller, scopeOf } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import { isBelow, joinPath, parentOf, sanitizeAll } from "../paths.ts";
import type { Placement, ResourceRecord, WriteTransaction } from "../ports.ts";
import { makeDirectories } from "./directories.ts";

/** A move or a copy (RS 2). */
export interface TransferRequest {
  readonly caller: Caller;
  readonly sources: readonly string[];
  /** As the caller wrote it: a separator at its end says that it is a directory (C 7). */
  readonly destination: string;
  /** Whether existing files may be replaced and existing directories merged. */
  readonly force: boolean;
}

/** What is done with the sources, for messages. */
export type Verb = "move" | "copy";

/** Where the sources go. */
export interface Destination {
  /** Sanitized; "" is the root. */
  readonly path: string;
  /** Whether it can only be a directory: it is the root, or was written with a separator at its end. */
  readonly mustBeDirectory: boolean;
}

/** The destination of a request, `path` being what its text sanitizes to. */
export function destinationOf({ destination }: TransferRequest, path: string): Destination {
  return { path, mustBeDirectory: path === "" || /[/\\]$/.test(destination.trim()) };
}

/**
 * The distinct source paths of a request, in its order (RS 4.4.1).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` where there is none, one is not valid, or one
 *   is the destination (C 7).
 */
export function sourcesOf(
  verb: Verb,
  { sources }: TransferRequest,
  destination: Destination,
): string[] {
  const paths = sanitizeAll(sources);
  if (paths.length === 0) {
    throw new AppError("ErrResourcesInvalidRequest", `Cannot ${verb}: no source is given`);
  }
  if (paths.includes(destination.path)) {
    throw invalid(verb, destination.path, "it is the destination as well");
  }
  return paths;
}

/** Finds where a single directory goes, and makes all above it. */
export type PlaceDirectory = (
  transfer: Transfer,
  source: ResourceRecord,
  destination: Destination,
) => Promise<string>;

/** A move or copy inside its transaction: finds where each source goes, and makes room for it. */
export class Transfer {
  /** The time of the operation. */
  readonly now = Date.now();
  /** The directories that were made for the targets, in that order. */
  readonly made: ResourceRecord[] = [];
  /** The files that gave way to a directory. */
  readonly replaced: ResourceRecord[] = [];
  readonly #verb: Verb;
  /** The owner of the sources, on whose behalf all of it runs (RS 1.4). */
  readonly #userId: number;
  readonly #force: boolean;

  private constructor(
    verb: Verb,
    readonly transaction: WriteTransaction,
    /** In the order of the request. */
    readonly sources: readonly [ResourceRecord, ...ResourceRecord[]],
    force: boolean,
  ) {
    this.#verb = verb;
    this.#userId = sources[0].userId;
    this.#force = force;
  }

  /**
   * Finds the sources.
   *
   * @throws {AppError} `ErrResourcesNotFound` where one is missing, `ErrResourcesInvalidRequest`
   *   where they have different owners.
   */
  static async begin(
    verb: Verb,
    transaction: WriteTransaction,
    { caller, force, paths }: Pick<TransferRequest, "caller" | "force"> & {
      readonly paths: readonly string[];
    },
  ): Promise<Transfer> {
    const found = await transaction.findByPath(scopeOf(caller), paths);
    const [first, ...others] = paths.map((path) => {
      const record = found.get(path);
      if (record !== undefined) return record;
      throw new AppError("ErrResourcesNotFound", `Cannot ${verb} ${quoted(path)}: not found`);
    });
    if (first === undefined) throw new RangeError("No source is given");
    const foreign = others.find(({ userId }) => userId !== first.userId);
    if (foreign !== undefined) {
      throw invalid(verb, foreign.path, `it has another owner than ${quoted(first.path)}`);
    }
    return new Transfer(verb, transaction, [first, ...others], force);
  }

  /** The record that the owner of the sources has at a path. */
  async find(path: string): Promise<ResourceRecord | undefined> {
    return (await this.#findAll([path])).get(path);
  }

  /**
   * Where each source goes; all above that is there then. What becomes of a single directory is for
   * `placeDirectory` to say.
   *
   * @throws {AppError} as {@link makeDirectories} does, and where several sources can't be in
   *   the destination together.
   */
  async place(destination: Destination, placeDirectory: PlaceDirectory): Promise<Placement[]> {
    const [source, ...others] = this.sources;
    if (others.length > 0) return await this.#placeAll(destination.path);
    const placed = source.isDir
      ? placeDirectory(this, source, destination)
      : this.#placeFile(source, destination);
    return [{ source, target: await placed }];
  }

  /** RS 4.4.3. */
  async #placeFile(source: ResourceRecord, destination: Destination): Promise<string> {
    const { path, mustBeDirectory } = destination;
    if (mustBeDirectory || (await this.find(path))?.isDir) {
      await this.makeDirectories(path, { replaceFile: mustBeDirectory });
      return joinPath(path, source.name);
    }
    await this.makeDirectories(parentOf(path));
    return path;
  }

  /** RS 4.4, multiple sources, and RS 4.5.6: each goes below the destination. */
  async #placeAll(destination: string): Promise<Placement[]> {
    const placements = this.sources.map((source) => {
      this.refuseInside(source, destination);
      const target = joinPath(destination, source.name);
      if (target === source.path) {
        throw invalid(this.#verb, target, "it is where it would go already");
      }
      return { source, target };
    });
    const targets = new Set<string>();
    for (const { target } of placements) {
      if (targets.has(target)) throw this.#conflict(target, "two of the sources would go there");
      targets.add(target);
    }
    await this.makeDirectories(destination);
    return placements;
  }

  /**
   * Makes the directory and every missing one above it. `replaceFile` lets it take the place of a
   * file, if forced to: never that of one further up (C 7).
   *
   * @throws {AppError} `ErrResourcesConflict` where a file is in the way.
   */
  async makeDirectories(path: string, { replaceFile = false } = {}): Promise<void> {
    const leaf = replaceFile && this.#force ? await this.find(path) : undefined;
    if (leaf?.isDir === false) await this.replace([leaf]);
    const { created } = await makeDirectories(this.transaction, {
      userId: this.#userId,
      path,
      now: this.now,
      refusal: "ErrResourcesConflict",
    });
    this.made.push(...created);
  }

  /**
   * Checks what stands at the targets (RS 4.4.4, 4.4.7, 4.5.4). Returns the files at whose paths a
   * directory would arrive: only a move lets them give way.
   *
   * @throws {AppError} `ErrResourcesConflict` where a record must not give way,
   *   `ErrResourcesInvalidRequest` where a source would replace itself.
   */
  async admit(placements: readonly Placement[]): Promise<ResourceRecord[]> {
    const existing = await this.#findAll(placements.map(({ target }) => target));
    return placements.flatMap(({ source, target }) => {
      const record = existing.get(target);
      if (record === undefined) return [];
      if (!this.#force) {
        throw this.#conflict(target, "a record has this path, and force is not given");
      }
      if (record.id === source.id) throw invalid(this.#verb, target, "nothing replaces itself");
      if (!source.isDir && record.isDir) {
        throw this.#conflict(target, "a directory has this path");
      }
      return source.isDir && !record.isDir ? record : [];
    });
  }

  /** Deletes files that give way to a directory. */
  async replace(files: readonly ResourceRecord[]): Promise<void> {
    for (const record of await this.transaction.deleteSubtrees(files)) this.replaced.push(record);
  }

  /**
   * Refuses to put a directory into itself (RS 4.4.5).
   *
   * @throws {AppError} `ErrResourcesInvalidRequest`.
   */
  refuseInside(source: ResourceRecord, destination: string): void {
    if (source.isDir && isBelow(destination, source.path)) {
      throw invalid(this.#verb, source.path, `it would go into itself, to ${quoted(destination)}`);
    }
  }

  #conflict(target: string, why: string): AppError {
    return new AppError(
      "ErrResourcesConflict",
      `Cannot ${this.#verb} to ${quoted(target)}: ${why}`,
    );
  }

  #findAll(paths: readonly string[]): Promise<Map<string, ResourceRecord>> {
    return this.transaction.findByPath({ userId: this.#userId, everyone: false }, paths);
  }
}

/** A refusal of a source that makes no sense (RS 4.4 common 3). */
export function invalid(verb: Verb, source: string, why: string): AppError {
  return new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot ${verb} ${quoted(source)}: ${why}`,
  );
}
