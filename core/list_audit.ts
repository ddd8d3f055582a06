import type { AuditLine } from "../schemas/audit.ts";
import type { AuditChoice, AuditPage, AuditTrail } from "./audit.ts";
import { type Caller, inTree, permits, requirePermission } from "./caller.ts";
import { AppError, quoted } from "./errors.ts";

/** Which lines of the audit log a request is about. A line has to match all that is stated. */
export interface AuditFilter {
  readonly user?: number | undefined;
  readonly tree?: number | undefined;
  readonly action?: string | undefined;
  readonly outcome?: string | undefined;
  /** What one of the paths of a line begins with. */
  readonly path?: string | undefined;
  /** Lines at this time or later, in milliseconds since the Unix epoch. */
  readonly since?: number | undefined;
  /** Lines before this time. */
  readonly until?: number | undefined;
}

export interface ListAuditRequest {
  readonly caller: Caller;
  readonly filter: AuditFilter;
  readonly limit: number;
  /** Where the page before ended. */
  readonly before?: string | undefined;
}

/** Lines that several processes write, and whose clocks are set, may be out of order by this. */
const DISORDER_MS = 60_000;

/**
 * A page of the audit log, newest line first (C 22). With `resources.admin`, all lines; else those of the
 * caller's user, in trees that the caller's credential may view.
 *
 * @throws {AppError} `ErrAuditNotKept` when the log goes elsewhere, `ErrNotPermitted` when it is about
 *   another user, `ErrResourcesInvalidRequest` when no page ended at `before`, or its file is gone.
 */
export async function listAudit(
  trail: AuditTrail | undefined,
  { caller, filter, limit, before }: ListAuditRequest,
): Promise<AuditPage> {
  const isAdmin = permits(caller, "resources.admin");
  if (filter.user !== undefined && filter.user !== caller.userId) {
    requirePermission(caller, "resources.admin");
  }
  if (trail === undefined) {
    const message = "Cannot read the audit log: the server writes it to standard error";
    throw new AppError("ErrAuditNotKept", message);
  }
  const { since = -Infinity } = filter;
  const choose = (line: AuditLine): AuditChoice => {
    if (Date.parse(line.time) < since - DISORDER_MS) return "end";
    return matches(line, filter) && (isAdmin || isOwn(line, caller)) ? "keep" : "skip";
  };
  const page = await trail.read({ before, limit, choose });
  if (page !== undefined) return page;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Cannot go on at ${
      quoted(String(before))
    }: no page ended there, or the file of the log is gone`,
  );
}

function matches(line: AuditLine, filter: AuditFilter): boolean {
  const { user, tree, action, outcome, path, since = -Infinity, until = Infinity } = filter;
  const time = Date.parse(line.time);
  return time >= since && time < until &&
    (user === undefined || line.user === user) &&
    (tree === undefined || line.tree === tree) &&
    (action === undefined || line.action === action) &&
    (outcome === undefined || line.outcome === outcome) &&
    (path === undefined || line.paths.some((it) => it.startsWith(path)));
}

/** Whether a user did it, in a tree that the user's credential may look at. */
function isOwn({ user, tree }: AuditLine, caller: Caller): boolean {
  if (user !== caller.userId) return false;
  return tree === undefined || permits(inTree(caller, tree), "resources.view");
}
