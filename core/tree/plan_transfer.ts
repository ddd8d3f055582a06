/**
 * Plans moves and copies. The plan, and every refusal, follows from the request and the records found
 * for it; nothing here reads or changes the store.
 */

import type { Caller } from "../caller.ts";
import { AppError, quoted } from "../errors.ts";
import {
  ancestorsOf,
  isBelow,
  joinPath,
  parentOf,
  refuseUncreatable,
  sanitizeAll,
  sanitizeDirectory,
  sanitizePath,
} from "../paths.ts";
import type { NewRecord, Placement, ResourceRecord } from "../ports.ts";
import { chainOf, missingDirectories } from "./directories.ts";

/** A request to move or copy (RS 2). */
export interface TransferRequest {
  readonly caller: Caller;
  readonly sources: readonly string[];
  /** As the client wrote it: a trailing separator makes it a directory (C 7). */
  readonly destination: string;
  /** Whether existing files may be replaced and existing directories merged. */
  readonly force: boolean;
  /**
   * Whether the destination is the path that the only source gets, in a directory that is there. With `force`,
   * it takes the place of all that is there (C 30). @default false
   */
  readonly isExact?: boolean;
  /** Throws if a source would not get where the request wants it. @default anywhere is fine */
  readonly requirePlacement?: (placement: Placement) => void;
}

/** What is restored is copied from an earlier version of the tree (C 26). */
export type TransferVerb = "move" | "copy" | "restore";

/** A {@link TransferRequest} with sanitized paths. */
export interface ParsedTransfer {
  readonly verb: TransferVerb;
  readonly force: boolean;
  readonly isExact: boolean;
  /** The distinct sources in the order of the request; at least one. */
  readonly sources: readonly string[];
  /** "" is the root. */
  readonly destination: string;
  /** Whether the destination is the root or was written with a trailing separator. */
  readonly mustBeDirectory: boolean;
}

/**
 * Sanitizes the paths of a request (RS 4.4.1, 4.4.2, 4.5.1).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when there is no source, a path is invalid, a
 *   source is the destination (C 7), or a top-level record would move to the root.
 */
export function parseTransfer(verb: TransferVerb, request: TransferRequest): ParsedTransfer {
  const sanitize = verb === "move" ? sanitizeDirectory : sanitizePath;
  const destination = sanitize(request.destination);
  refuseUncreatable(destination);
  const sources = sanitizeAll(request.sources);
  const [first] = sources;
  if (first === undefined) {
    throw new AppError("ErrResourcesInvalidRequest", `Cannot ${verb}: a source is required`);
  }
  if (verb !== "restore" && sources.includes(destination)) {
    throw invalidTransfer(verb, destination, "it is also the destination");
  }
  if (verb === "move" && sources.length === 1 && destination === "" && parentOf(first) === "") {
    throw invalidTransfer(verb, first, "it is already at the top level");
  }
  const mustBeDirectory = destination === "" || /[/\\]$/.test(request.destination.trim());
  const { force, isExact = false } = request;
  return { verb, force, isExact, sources, destination, mustBeDirectory };
}

/** The source records of a transfer, in the order of the request. They have one owner. */
export type Sources = readonly [ResourceRecord, ...ResourceRecord[]];

/** The paths whose records {@link planTransfer} needs: the destination and every possible target. */
export function pathsToPlan(sources: Sources, destination: string): string[] {
  const below = destination === "" ? "" : `${destination}/`;
  return [...chainOf(destination), ...sources.map(({ name }) => below + name)];
}

/** The plan of a transfer. */
export interface PlannedTransfer {
  /** Each source with its target path, in the order of the request. */
  readonly placements: readonly Placement[];
  /** What is replaced by something else than a file by a file; it is deleted first. */
  readonly replaced: readonly ResourceRecord[];
  /** Directories that are created above the targets, outermost first. */
  readonly newDirectories: readonly NewRecord[];
}

export interface PlanOptions {
  readonly transfer: ParsedTransfer;
  readonly sources: Sources;
  /** The owner's records at {@link pathsToPlan}. */
  readonly existing: ReadonlyMap<string, ResourceRecord>;
  /** The time of the operation, in milliseconds since the Unix epoch. */
  readonly now: number;
}

/**
 * Finds the target of each source, and what must be deleted or created for it (RS 4.4, 4.5).
 *
 * @throws {AppError} `ErrResourcesConflict` when an existing record is in the way or two sources have
 *   the same target, `ErrResourcesInvalidRequest` when the transfer is impossible.
 */
export function planTransfer(options: PlanOptions): PlannedTransfer {
  return new Planner(options).plan();
}

class Planner {
  readonly #options: PlanOptions;
  readonly #replaced: ResourceRecord[] = [];
  #newDirectories: readonly NewRecord[] = [];

  constructor(options: PlanOptions) {
    this.#options = options;
  }

  plan(): PlannedTransfer {
    const { transfer: { verb }, sources } = this.#options;
    if (verb === "move") refuseMovedAlong(sources);
    const [source, ...others] = sources;
    const placements = others.length > 0
      ? this.#placeAll()
      : [{ source, target: this.#targetOf(source) }];
    for (const placement of placements) this.#checkTarget(placement);
    return {
      placements,
      replaced: this.#replaced,
      newDirectories: this.#newDirectories,
    };
  }

  #targetOf(source: ResourceRecord): string {
    const { isExact, destination } = this.#options.transfer;
    if (isExact) return this.#exactTarget(source);
    // What is restored to its own path does not go into a directory that is there.
    if (source.path === destination) return this.#directoryTarget(source);
    return source.isDir ? this.#directoryTarget(source) : this.#fileTarget(source);
  }

  /** C 30, RFC 4918, 9.8 and 9.9. */
  #exactTarget(source: ResourceRecord): string {
    const { verb, destination } = this.#options.transfer;
    this.#refuseInside(source);
    if (isBelow(source.path, destination)) {
      throw invalidTransfer(verb, source.path, "it is in what it would replace");
    }
    const parent = parentOf(destination);
    if (parent !== "" && this.#find(parent)?.isDir !== true) {
      throw this.#conflict(destination, `${quoted(parent)} is not a directory`);
    }
    return destination;
  }

  /** RS 4.4.3. */
  #fileTarget(source: ResourceRecord): string {
    const { destination, mustBeDirectory } = this.#options.transfer;
    if (mustBeDirectory || this.#find(destination)?.isDir) {
      this.#createDirectories(destination, { replaceFile: mustBeDirectory });
      return joinPath(destination, source.name);
    }
    this.#createDirectories(parentOf(destination));
    return destination;
  }

  /** RS 4.4.5 for a move, RS 4.5.4 for a copy. */
  #directoryTarget(source: ResourceRecord): string {
    const { verb, destination } = this.#options.transfer;
    this.#refuseInside(source);
    if (verb === "move" && (destination === "" || this.#find(destination)?.isDir)) {
      return joinPath(destination, source.name);
    }
    this.#createDirectories(parentOf(destination));
    return destination;
  }

  /** RS 4.4 multiple 1 to 4, RS 4.5.6: the destination is the parent of every target. */
  #placeAll(): Placement[] {
    const { transfer: { verb, destination }, sources } = this.#options;
    const placements = sources.map((source) => {
      this.#refuseInside(source);
      const target = joinPath(destination, source.name);
      if (target === source.path) {
        throw invalidTransfer(verb, target, "it is already in the destination");
      }
      return { source, target };
    });
    const targets = new Set<string>();
    for (const { target } of placements) {
      if (targets.has(target)) throw this.#conflict(target, "two sources have this target");
      targets.add(target);
    }
    this.#createDirectories(destination);
    return placements;
  }

  /**
   * Plans the directory at `path` and every missing one above it. With `replaceFile` and
   * `force`, the directory replaces a file at `path`; a file further up is never replaced (C 7).
   *
   * @throws {AppError} `ErrResourcesConflict` when a file is in the way.
   */
  #createDirectories(path: string, { replaceFile = false } = {}): void {
    const { transfer: { force }, sources: [{ userId }], now } = this.#options;
    const existing = new Map(this.#options.existing);
    const leaf = existing.get(path);
    if (replaceFile && force && leaf?.isDir === false) {
      this.#replaced.push(leaf);
      existing.delete(path);
    }
    const request = { userId, path, now, errorKind: "ErrResourcesConflict" as const };
    this.#newDirectories = missingDirectories(request, existing);
  }

  /**
   * Checks the record at a target (RS 4.4.4, 4.4.7, 4.5.4, C 7). A directory replaces a file.
   *
   * @throws {AppError} `ErrResourcesConflict` when it must stay, `ErrResourcesInvalidRequest` when it
   *   is the source itself.
   */
  #checkTarget({ source, target }: Placement): void {
    const { transfer: { verb, force, isExact } } = this.#options;
    const record = this.#find(target);
    if (record === undefined || this.#replaced.includes(record)) return;
    const isSource = verb !== "restore" && record.id === source.id;
    if (isSource && source.isDir) {
      throw invalidTransfer(verb, target, "a directory cannot be moved into itself");
    }
    if (!force && isExact) {
      throw new AppError("ErrPreconditionFailed", `Cannot ${verb} to ${quoted(target)}: it exists`);
    }
    if (!force) throw this.#conflict(target, "it exists, and force is not set");
    if (isSource) throw invalidTransfer(verb, target, "a file cannot replace itself");
    if (isExact) {
      this.#replaced.push(record);
      return;
    }
    if (!source.isDir && record.isDir) throw this.#conflict(target, "it is a directory");
    if (source.isDir && !record.isDir) this.#replaced.push(record);
  }

  /** RS 4.4.5. */
  #refuseInside(source: ResourceRecord): void {
    const { verb, destination } = this.#options.transfer;
    if (verb !== "restore" && source.isDir && isBelow(destination, source.path)) {
      throw invalidTransfer(
        verb,
        source.path,
        `it contains the destination ${quoted(destination)}`,
      );
    }
  }

  #find(path: string): ResourceRecord | undefined {
    return this.#options.existing.get(path);
  }

  #conflict(target: string, reason: string): AppError {
    return new AppError(
      "ErrResourcesConflict",
      `Cannot ${this.#options.transfer.verb} to ${quoted(target)}: ${reason}`,
    );
  }
}

/** C 7: a source that moves along with an earlier one is gone when its turn comes. */
function refuseMovedAlong(sources: Sources): void {
  const earlier = new Set<string>();
  for (const { path } of sources) {
    const above = ancestorsOf(path).find((ancestor) => earlier.has(ancestor));
    if (above !== undefined) {
      throw invalidTransfer(
        "move",
        path,
        `it moves along with ${quoted(above)}, an earlier source`,
      );
    }
    earlier.add(path);
  }
}

/** The refusal of an impossible transfer (RS 4.4 common 3). */
export function invalidTransfer(verb: TransferVerb, source: string, reason: string): AppError {
  return new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot ${verb} ${quoted(source)}: ${reason}`,
  );
}
