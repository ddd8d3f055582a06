import type { Context, MiddlewareHandler } from "hono";
import type { AuditEntry, AuditLog } from "../../core/audit.ts";
import { ownerOf } from "../../core/caller.ts";
import { AppError, type ErrorKind } from "../../core/errors.ts";
import type { AppEnvironment, AuditedChange } from "../request/environment.ts";

/** Refusals of content, which say why. */
const CONTENT_REFUSALS: readonly ErrorKind[] = ["ErrResourcesQuarantined", "ErrResourcesRefused"];

/** Refusals that are recorded on every route. */
const REFUSALS: ReadonlySet<string> = new Set<ErrorKind>([
  "ErrNotPermitted",
  ...CONTENT_REFUSALS,
]);

/** Refusals before anything was attempted. They would fill the log as fast as a client can ask. */
const NOT_ATTEMPTED: ReadonlySet<string> = new Set<ErrorKind>([
  "ErrTooManyRequests",
  "ErrUnavailable",
]);

/**
 * Middleware that records in the audit log what changes something, or fails to, and what is not permitted
 * (C 22). Requests without a valid credential or link are in the access log only: anybody could fill a disk with
 * them.
 * See docs/design/audit_log.md.
 */
export function recordAudit(
  audit: AuditLog,
  { name, isChange }: { readonly name: string; readonly isChange: boolean },
): MiddlewareHandler<AppEnvironment> {
  return async function recordAudit(c, next) {
    await next();
    const record = () => recordOutcome(c, audit, { name, isChange });
    if (c.get("audited")?.isLate === true) void c.get("delivery")?.then(record);
    else await record();
  };
}

async function recordOutcome(
  c: Context<AppEnvironment>,
  audit: AuditLog,
  { name, isChange }: { readonly name: string; readonly isChange: boolean },
): Promise<void> {
  // Known if there is a valid credential, or a valid link.
  const isKnown = c.get("caller") !== undefined || c.get("audited")?.tree !== undefined;
  const outcome: AuditEntry["outcome"] = c.get("failure")?.kind ?? "ok";
  if (!isKnown || NOT_ATTEMPTED.has(outcome)) return;
  c.get("delivery")?.then(({ error }) => {
    // A ZIP that the gate refuses to go on with.
    if (!(error instanceof AppError) || !REFUSALS.has(error.kind)) return;
    const details = { reason: error.message };
    audit.write(...entriesOf(c, { action: name, outcome: error.kind, details }));
  });
  const isRecorded = isChange && !(outcome === "ok" && c.get("audited")?.isStep === true);
  if (!isRecorded && !REFUSALS.has(outcome)) return;
  const { kind, message: reason, rule } = c.get("failure") ?? {};
  const details = kind !== undefined && CONTENT_REFUSALS.includes(kind) ? { reason, rule } : {};
  await audit.write(...entriesOf(c, { action: name, outcome, details }));
}

/** Middleware that refuses a change that could not be recorded. */
export function requireAudit(audit: AuditLog): MiddlewareHandler<AppEnvironment> {
  return function requireAudit(_c, next) {
    if (!audit.isBlocked) return next();
    throw new AppError("ErrUnavailable", "Cannot record changes: the audit log cannot be written");
  };
}

/** Remembers for the audit log what a request names, and after the change also what it changed. */
export function auditChange(c: Context<AppEnvironment>, change: AuditedChange): void {
  c.set("audited", change);
}

/** An entry for each tree that was changed, or for the one that the request would have changed. */
function entriesOf(
  c: Context<AppEnvironment>,
  entry: Pick<AuditEntry, "action" | "outcome" | "details">,
): AuditEntry[] {
  const { paths = [], tree, records = new Map<number, number>(), details } = c.get("audited") ?? {};
  const caller = c.get("caller");
  // The tree of a name that nobody has is none.
  const named = tree ?? (caller === undefined ? undefined : ownerOf(caller) || undefined);
  const trees: [number | undefined, number | undefined][] = records.size > 0
    ? [...records]
    : [[named, undefined]];
  return trees.map(([owner, count]) => ({
    ...entry,
    user: caller?.userId,
    tree: owner,
    address: c.get("address"),
    paths,
    request: c.get("requestId"),
    details: { ...details, ...entry.details, records: count },
  }));
}
