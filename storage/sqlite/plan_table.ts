import { AppError, quoted } from "../../core/errors.ts";
import { MAX_PATH_BYTES, MAX_PATH_SEGMENTS } from "../../core/paths.ts";
import type { Placement } from "../../core/ports.ts";
import type { SqlParameters } from "../tables/dialect.ts";
import type { Connection } from "./connection.ts";
import { pastPage } from "./past.ts";
import { pastParameters } from "./past_parts.ts";
import type { PastTree } from "../tables/history_store.ts";
import { pathColumns } from "../tables/record_rows.ts";
import { descendantOf } from "./subtree.ts";

/** Rows that one step adds or reads. */
const PAGE_ROWS = 1000;

/** One row for each record that is moved or copied. */
const schema = (name: string) => `
  CREATE TEMP TABLE ${name} (
    position INTEGER PRIMARY KEY, -- by source, then by path
    id INTEGER NOT NULL,
    source_path TEXT NOT NULL,
    target_path TEXT NOT NULL,
    target_parent TEXT,
    target_name TEXT NOT NULL,
    is_root INTEGER NOT NULL, -- 1 for a source, 0 for its descendants
    is_dir INTEGER NOT NULL,
    hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    crc32 INTEGER NOT NULL,
    conflicts_with INTEGER, -- id of the record at the target path
    conflict_is_dir INTEGER
  ) STRICT;
  CREATE INDEX temp.${name}_by_conflict ON ${name} (conflicts_with)
    WHERE conflicts_with IS NOT NULL;`;

/** A copy conflicts with any record at its target path. */
export const COPY_CONFLICTS = "TRUE";

/**
 * A move conflicts with a record at its target path unless that record moves along, and so leaves
 * its path first. An ancestor of the moved record does conflict, as it keeps its path (C 7).
 */
export const MOVE_CONFLICTS = `NOT (conflict.path = :source OR ${
  descendantOf("conflict.path", ":source")
})
  OR ${descendantOf("records.path", "conflict.path")}`;

/** Selects the rows of a {@link Range}. */
export const IN_RANGE = "plan.position > :after AND plan.position <= :upTo";

/** A part of a plan: the rows after one position, up to another. */
export interface Range extends SqlParameters {
  readonly after: number;
  readonly upTo: number;
}

/** Where a plan has its sources from. */
export interface PlanSource {
  /** The condition under which the record at a target path conflicts. */
  readonly conflicts: string;
  /** The tree as it was. @default as it is */
  readonly past?: PastTree | undefined;
}

/** The temporary table of a plan: which record goes where, and what it conflicts with there. */
export class PlanTable {
  readonly #connection: Connection;
  /** The table in SQL. */
  readonly name: string;

  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.name = `temp.${name}`;
    connection.script(schema(name));
  }

  clear(): void {
    this.#connection.run(`DELETE FROM ${this.name}`);
  }

  /**
   * Adds a source and its descendants, in steps.
   *
   * @throws {AppError} `ErrResourcesInvalidRequest` when the source is gone, or a target path is too long
   *   or too deep; `ErrResourcesConflict` when a file and a directory would have the same path.
   */
  *add(
    placement: Placement,
    { conflicts, past }: PlanSource,
  ): Generator<void, void> {
    const { source, target } = placement;
    this.#addRoot(placement, conflicts, past);
    yield;
    if (!source.isDir) return;
    const below = "path > :last AND path < :source || '0'";
    const sql = this.#adding("records.path > :last AND records.path < :source || '0'", conflicts, {
      from: past === undefined ? "records" : pastPage(past, below),
      isRoot: 0,
      parent: targetOf("records.parent"),
      name: "records.name",
    });
    const parameters = {
      user: source.userId,
      source: source.path,
      target,
      ...past && pastParameters(past),
    };
    for (let last: string | undefined = `${source.path}/`; last !== undefined;) {
      const after = this.#end;
      this.#connection.run(`${sql} LIMIT ${PAGE_ROWS}`, { ...parameters, last });
      const upTo = this.#end;
      this.#check({ after, upTo });
      last = upTo - after < PAGE_ROWS ? undefined : this.#sourceAt(upTo);
      yield;
    }
  }

  /** All rows, in parts. */
  *ranges(): Generator<Range, void> {
    const end = this.#end;
    for (let after = 0; after < end; after += PAGE_ROWS) yield { after, upTo: after + PAGE_ROWS };
  }

  /** Whether there is a record at any target path. */
  get hasConflicts(): boolean {
    const found = this.#connection.get(
      `SELECT 1 FROM ${this.name} WHERE conflicts_with IS NOT NULL LIMIT 1`,
    );
    return found !== undefined;
  }

  /** The last position. */
  get #end(): number {
    const row = this.#connection.get(`SELECT max(position) AS position FROM ${this.name}`);
    return Number(row?.position);
  }

  #sourceAt(position: number): string {
    const row = this.#connection.get(
      `SELECT source_path FROM ${this.name} WHERE position = :position`,
      { position },
    );
    return String(row?.source_path);
  }

  #addRoot(
    { source, target }: Placement,
    conflicts: string,
    past: PastTree | undefined,
  ): void {
    const after = this.#end;
    const sql = this.#adding("records.path = :source", conflicts, {
      from: past === undefined ? "records" : pastPage(past, "path = :source"),
      isRoot: 1,
      parent: ":parent",
      name: ":name",
    });
    const row = this.#connection.get(
      `${sql} RETURNING id`,
      {
        user: source.userId,
        source: source.path,
        target,
        ...pathColumns(target),
        ...past && pastParameters(past),
      },
    );
    if (row?.id !== source.id) {
      throw new AppError(
        "ErrResourcesInvalidRequest",
        `Cannot move ${quoted(source.path)}: an earlier source moved or replaced it`,
      );
    }
    this.#check({ after, upTo: after + 1 });
  }

  #adding(
    which: string,
    conflicts: string,
    columns: { from: string; isRoot: 0 | 1; parent: string; name: string },
  ): string {
    return `INSERT INTO ${this.name} (
        id, source_path, target_path, target_parent, target_name, is_root, is_dir, hash, size,
        crc32, conflicts_with, conflict_is_dir
      )
      SELECT records.id, records.path, ${targetOf("records.path")}, ${columns.parent},
        ${columns.name}, ${columns.isRoot}, records.is_dir, records.hash, records.size,
        records.crc32, conflict.id, conflict.is_dir
      FROM ${columns.from} LEFT JOIN main.records AS conflict
      ON conflict.user_id = :user AND conflict.path = ${targetOf("records.path")}
        AND (${conflicts})
      WHERE records.user_id = :user AND ${which} ORDER BY records.path`;
  }

  #check(range: Range): void {
    this.#checkKinds(range);
    this.#checkPaths(range);
  }

  /** Refuses a file at the path of a directory, and a directory at the path of a file. */
  #checkKinds(range: Range): void {
    const mismatch = this.#connection.get(
      `SELECT target_path, conflict_is_dir FROM ${this.name} AS plan
       WHERE ${IN_RANGE} AND conflict_is_dir <> is_dir ORDER BY position LIMIT 1`,
      range,
    );
    if (mismatch === undefined) return;
    throw new AppError(
      "ErrResourcesConflict",
      `Cannot write to ${quoted(String(mismatch.target_path))}: ` +
        `a ${mismatch.conflict_is_dir === 1 ? "directory" : "file"} has this path`,
    );
  }

  /** Refuses paths that are too long or too deep. */
  #checkPaths(range: Range): void {
    const segments = "octet_length(target_path) - octet_length(replace(target_path, '/', '')) + 1";
    const invalid = this.#connection.get(
      `SELECT target_path, octet_length(target_path) > :maxBytes AS long
       FROM ${this.name} AS plan
       WHERE ${IN_RANGE}
         AND (octet_length(target_path) > :maxBytes OR ${segments} > :maxSegments)
       ORDER BY position LIMIT 1`,
      { ...range, maxBytes: MAX_PATH_BYTES, maxSegments: MAX_PATH_SEGMENTS },
    );
    if (invalid === undefined) return;
    const reason = invalid.long === 1
      ? `longer than ${MAX_PATH_BYTES} bytes`
      : `more than ${MAX_PATH_SEGMENTS} segments`;
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(String(invalid.target_path))}: ${reason}`,
    );
  }
}

/** The SQL expression of the target of a path at or below the source. */
function targetOf(path: string): string {
  return `:target || substr(${path}, length(:source) + 1)`;
}
