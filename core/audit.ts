import type { AuditLine } from "../schemas/audit.ts";
import { inertLines } from "../schemas/printable.ts";
import type { ErrorKind } from "./errors.ts";

/** An action of a user, or an attempt that was not permitted (C 22). */
export interface AuditEntry {
  /** The user who asked for it. @default the operator, on the command line, or the holder of a link */
  readonly user?: number | undefined;
  /** The user whose tree it concerns. */
  readonly tree?: number | undefined;
  /** The network address of the client. */
  readonly address?: string | undefined;
  /** What was asked for, such as `resources.delete`. */
  readonly action: string;
  /** What the request named. */
  readonly paths?: readonly string[] | undefined;
  readonly outcome: "ok" | ErrorKind;
  /** The id of the request, which the access log has too. */
  readonly request?: string | undefined;
  /** What else is to be said of this action. */
  readonly details?: AuditDetails | undefined;
}

/** Further fields of an entry, by names in snake case. */
export type AuditDetails = Readonly<Record<string, string | number | undefined>>;

/** Records what users do. */
export interface AuditLog {
  /**
   * Whether the log cannot be written and has no room for more entries that wait. While it is true, refuse
   * all changes that need an entry.
   */
  readonly isBlocked: boolean;
  /**
   * Records entries. Resolves when they are written, or have to wait for a disk that is full or does not answer.
   * Never rejects.
   */
  write(...entries: readonly AuditEntry[]): Promise<void>;
}

/** The most paths of a line. */
const MAX_PATHS = 20;
/** The most characters of the paths of a line together, unless the first one is longer. */
const MAX_PATH_CHARS = 8000;
/** The most characters of any other value. */
const MAX_VALUE_CHARS = 1000;

/** An entry as a line of JSON, of at most some 50 KB. Paths that are left out are counted. */
export function auditLine(entry: AuditEntry, time: Date): string {
  const { user, tree, address, action, paths = [], outcome, request, details = {} } = entry;
  const shown = shownPaths(paths);
  const others = Object.entries(details).map(([name, value]) => [name, cut(value)]);
  return inertLines(JSON.stringify({
    time: time.toISOString(),
    user,
    tree,
    address,
    action,
    paths: shown,
    more_paths: paths.length > shown.length ? paths.length - shown.length : undefined,
    ...Object.fromEntries(others),
    outcome,
    request_id: cut(request),
  }));
}

function shownPaths(paths: readonly string[]): string[] {
  const shown: string[] = [];
  let chars = 0;
  for (const path of paths.slice(0, MAX_PATHS)) {
    chars += path.length;
    if (chars > MAX_PATH_CHARS && shown.length > 0) break;
    shown.push(path.slice(0, MAX_PATH_CHARS));
  }
  return shown;
}

function cut(value: string | number | undefined): string | number | undefined {
  return typeof value === "string" && value.length > MAX_VALUE_CHARS
    ? `${value.slice(0, MAX_VALUE_CHARS)}…`
    : value;
}

/** What a reader of the audit log says to a line. */
export type AuditChoice = "keep" | "skip" | "end";

/** Which part of the audit log to read. */
export interface AuditPageRequest {
  /** Where the page before ended. @default the end of the log */
  readonly before?: string | undefined;
  /** The most lines. */
  readonly limit: number;
  /** Whether a line belongs to the page; `end` ends the log before it. */
  readonly choose: (line: AuditLine) => AuditChoice;
}

/** A part of the audit log, newest line first. */
export interface AuditPage {
  readonly lines: readonly AuditLine[];
  /** How many lines cannot be read. */
  readonly skipped: number;
  /** Where the page ends. Undefined at the end of the log. */
  readonly next: string | undefined;
}

/** Reads the audit log. */
export interface AuditTrail {
  /**
   * Reads a page backward. The work is bounded: a page may have few lines, or none, and more may follow.
   * Resolves with undefined if `before` is not a position in the log, or its file is gone.
   */
  read(request: AuditPageRequest): Promise<AuditPage | undefined>;
}
