import type { Chunk } from "../../core/content.ts";

/** A piece of what an upload has received: in an object, or in the database if that has no name. */
export interface UploadPart {
  /** Where it begins in the file. */
  readonly position: number;
  /** How many of its bytes count. */
  readonly size: number;
  readonly object: string | undefined;
}

/** A piece that has come: in an object, which is arriving, or small. */
export type NewPart =
  | { readonly size: number; readonly object: string }
  | { readonly bytes: Chunk };

/** A request that may change an upload: until the next one, at any server, takes it. */
export interface UploadTurn {
  readonly id: string;
  readonly turn: number;
}

/** What unfinished uploads have received, where content is in objects (C 23). */
export interface PartTable {
  /**
   * Takes an upload for a request, and drops what is not known to be received. Returns its parts in order;
   * undefined if another request has changed how much it has received, or ended it.
   */
  take(id: string, received: number): Promise<{ turn: number; parts: UploadPart[] } | undefined>;
  /**
   * Replaces all that an upload has from a position on. Returns false, and changes nothing, if another
   * request has taken it.
   *
   * @throws {AppError} `ErrUnavailable` when an object was given up meanwhile.
   */
  replace(upload: UploadTurn, position: number, parts: readonly NewPart[]): Promise<boolean>;
  /** The bytes of a part in the database. */
  bytesOf(id: string, position: number): Promise<Chunk>;
}
