import { AppError, RetryLater } from "../errors.ts";
import { pause } from "../event_loop.ts";
import { PolicyRefusal } from "../policy/refusal.ts";
import type { ResourceRecord } from "../ports.ts";
import { GATE_RULE } from "../../schemas/policy.ts";
import { directoryOf, type MirroredFile, type MirrorParts, requireForeign } from "./mirror.ts";

/** How often to look whether a scan has ended, in milliseconds: at first, and when it takes long. */
const MIN_POLL_MS = 10;
const MAX_POLL_MS = 200;
/** How much longer each pause is than the one before: the wait for a look is a small part of that for the scan. */
const POLL_GROWTH = 1.2;

/**
 * Lets a file be asked for that was not fetched, by what is known of it.
 *
 * @throws {AppError} `ErrResourcesQuarantined` when the policy refuses it, `ErrHubRepositoryNotFound` when its
 *   namespace is used inside by now.
 */
export async function admitKnown(parts: MirrorParts, subject: MirroredFile): Promise<void> {
  requireStillForeign(parts, subject);
  await counted(parts, async () => {
    await parts.judge?.({ ...subject, verdict: undefined });
  });
}

/**
 * Lets the content of a file that was fetched be read, by the gate and the policy.
 *
 * @throws {AppError} as {@link admitKnown} does, or {@link RetryLater} while its scan goes on.
 */
export async function admitFetched(
  parts: MirrorParts,
  subject: MirroredFile,
  record: ResourceRecord,
): Promise<void> {
  const { tree: { gate, verdicts }, judge } = parts;
  requireStillForeign(parts, subject);
  await counted(parts, async () => {
    await gate?.namedBelow(directoryOf(subject.revision)).admit(record);
    if (judge === undefined) return;
    const verdict = gate === undefined ? undefined : await verdicts.on(record);
    await judge({ ...subject, verdict });
  });
}

/** Counts what a check refuses for good, by rule. */
async function counted({ totals }: MirrorParts, check: () => Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof PolicyRefusal) totals.refusedBy(error.rule);
    else if (error instanceof AppError && !(error instanceof RetryLater)) {
      totals.refusedBy(GATE_RULE);
    }
    throw error;
  }
}

/** Signed addresses and numbers of revisions may be older than a setting. */
function requireStillForeign(parts: MirrorParts, { revision }: MirroredFile): void {
  requireForeign(parts, revision, revision.about.realId);
}

/** Who asks for a file that was fetched. */
export interface FileAdmission {
  readonly record: ResourceRecord;
  readonly userId: number;
}

/** Like {@link admitFetched}, for a user: the first time is in the audit log. */
export async function letThrough(
  parts: MirrorParts,
  subject: MirroredFile,
  admission: FileAdmission,
): Promise<void> {
  await admitFetched(parts, subject, admission.record);
  await recordAdmission(parts, subject, admission);
}

/** Each first admission of a file is in the audit log (C 28). */
export async function recordAdmission(
  { audit, store, tree: { verdicts } }: MirrorParts,
  { revision: { revision }, file: { path, admittedAt } }: MirroredFile,
  { record, userId }: FileAdmission,
): Promise<void> {
  if (admittedAt !== undefined) return;
  const { sha256 } = await verdicts.on(record);
  if (!await store.noteAdmitted(revision, path, Date.now())) return;
  await audit.write({
    ...{ action: "mirror.admit", user: userId, tree: record.userId, outcome: "ok" },
    paths: [record.path],
    details: { sha256: sha256 ?? undefined, size: record.size },
  });
}

/**
 * Like {@link admitFetched}, but waits for the scan.
 *
 * @throws {AppError} As that does, and `ErrUnavailable` when the file is gone before the scan has ended.
 */
export async function admitScanned(
  parts: MirrorParts,
  subject: MirroredFile,
  { record, signal }: { readonly record: ResourceRecord; readonly signal: AbortSignal },
): Promise<void> {
  const { records } = parts.tree;
  const scope = { userId: record.userId, everyone: false };
  for (let pauseMs = MIN_POLL_MS;; pauseMs = Math.min(pauseMs * POLL_GROWTH, MAX_POLL_MS)) {
    try {
      return await admitFetched(parts, subject, record);
    } catch (error) {
      const isWaiting = error instanceof RetryLater && error.kind === "ErrResourcesQuarantined";
      if (!isWaiting) throw error;
    }
    await pause(pauseMs, signal);
    const present = (await records.findById(scope, [record.id])).get(record.id);
    if (present?.hash === record.hash) continue;
    throw new AppError("ErrUnavailable", "The file has been given up before its scan has ended");
  }
}
