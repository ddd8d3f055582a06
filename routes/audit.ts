import type { Context, MiddlewareHandler } from "hono";
import type { AuditEntry, AuditLog } from "../core/audit.ts";
import { type Caller, ownerOf, type Privilege } from "../core/caller.ts";
import { AppError, type ErrorKind } from "../core/errors.ts";
import type { ChangeSet } from "../core/tree/changes.ts";
import type { AppEnvironment, AuditedChange } from "./environment.ts";

/** Refusals that are recorded on every route. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorKind>([
  "ErrNotPermitted",
  "ErrResourcesQuarantined",
]);

/** Refusals before anything was attempted. They would fill the log as fast as a client can ask. */
const NOT_ATTEMPTED: ReadonlySet<string> = new Set<ErrorKind>([
  "ErrTooManyRequests",
  "ErrUnavailable",
]);

/**
 * Middleware that records in the audit log what changes something, or fails to, and what is not permitted
 * (C 22). Requests without a valid credential are in the access log only: anybody could fill a disk with
 * them.
 */
export function recordAudit(
  audit: AuditLog,
  { action, privilege }: { readonly action?: string; readonly privilege: Privilege },
): MiddlewareHandler<AppEnvironment> {
  return async function recordAudit(c, next) {
    await next();
    const caller = c.get("caller");
    const outcome: AuditEntry["outcome"] = c.get("failure")?.kind ?? "ok";
    if (caller === undefined || NOT_ATTEMPTED.has(outcome)) return;
    c.get("delivery")?.then(({ error }) => {
      // A ZIP that the gate refuses to go on with.
      if (!(error instanceof AppError) || !REFUSALS.has(error.kind)) return;
      const details = { reason: error.message };
      audit.write(...entriesOf(c, caller, { action: privilege, outcome: error.kind, details }));
    });
    if (action === undefined && !REFUSALS.has(outcome)) return;
    const refusal = outcome === "ErrResourcesQuarantined" ? c.get("failure")?.message : undefined;
    const details = refusal === undefined ? {} : { reason: refusal };
    const entry = { action: action ?? privilege, outcome, details };
    audit.write(...entriesOf(c, caller, entry));
  };
}

/** Middleware that refuses a change that could not be recorded. */
export function requireAudit(audit: AuditLog): MiddlewareHandler<AppEnvironment> {
  return async function requireAudit(_c, next) {
    if (!audit.isBlocked) return await next();
    throw new AppError("ErrUnavailable", "Cannot record changes: the audit log cannot be written");
  };
}

/** Remembers for the audit log what a request names, and after the change also what it changed. */
export function auditChange(
  c: Context<AppEnvironment>,
  { changes, ...named }: Omit<AuditedChange, "records"> & { readonly changes?: ChangeSet },
): void {
  if (changes === undefined) return c.set("audited", named);
  const records = new Map<number, number>();
  for (const { record: { userId } } of changes) records.set(userId, (records.get(userId) ?? 0) + 1);
  c.set("audited", { ...named, records });
}

/** An entry for each tree that was changed, or for the one that the request would have changed. */
function entriesOf(
  c: Context<AppEnvironment>,
  caller: Caller,
  entry: Pick<AuditEntry, "action" | "outcome" | "details">,
): AuditEntry[] {
  const { paths = [], records = new Map<number, number>(), details } = c.get("audited") ?? {};
  const trees: [number, number | undefined][] = records.size > 0
    ? [...records]
    : [[ownerOf(caller), undefined]];
  return trees.map(([tree, count]) => ({
    ...entry,
    user: caller.userId,
    tree,
    address: c.get("address"),
    paths,
    request: c.get("requestId"),
    details: { ...details, ...entry.details, records: count },
  }));
}
