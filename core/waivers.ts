import type { Caller } from "./caller.ts";
import { parseTime } from "../schemas/units.ts";
import { AppError, quoted } from "./errors.ts";
import type { VerdictStore, Waiver, WaiverPage } from "./verdicts.ts";
import type { WaiverEvents } from "./waiver_events.ts";

/** What the operations on waivers work with. */
export interface WaiverService {
  readonly store: VerdictStore;
  readonly events: WaiverEvents;
}

/** A request to let content through (C 18). */
export interface AddWaiverRequest {
  readonly caller: Caller;
  /** The SHA-256 of the content, in hex. */
  readonly sha256: string;
  readonly reason: string;
  /** An RFC 3339 time, or null for never. */
  readonly expiresAt: string | null;
}

const MAX_REASON_CHARS = 1000;

/**
 * Lets content through whatever its verdict is (C 18). It need not be stored yet.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the digest, the reason or the time is invalid.
 */
export async function addWaiver(
  { store, events }: WaiverService,
  { caller: { userId }, sha256, reason, expiresAt }: AddWaiverRequest,
): Promise<Waiver> {
  if (!/^[0-9a-f]{64}$/i.test(sha256)) {
    throw invalid(`Invalid sha256 ${quoted(sha256)}: expected 64 hexadecimal digits`);
  }
  const stated = reason.trim();
  if (stated === "" || stated.length > MAX_REASON_CHARS) {
    throw invalid(`Invalid reason ${quoted(reason)}: expected 1 to ${MAX_REASON_CHARS} characters`);
  }
  const now = Date.now();
  const added = await store.addWaiver({
    sha256: sha256.toLowerCase(),
    reason: stated,
    userId,
    createdAt: now,
    expiresAt: expiresAt === null ? null : expiryOf(expiresAt, now),
  });
  events.publish(added.sha256);
  return added;
}

/** The waivers, newest first. */
export function listWaivers({ store }: WaiverService, page: WaiverPage): Promise<Waiver[]> {
  return store.listWaivers(page);
}

/**
 * Removes a waiver. Its content is blocked again, unless its verdict is accepted.
 *
 * @throws {AppError} `ErrWaiversNotFound` when there is none with this id.
 */
export async function removeWaiver(
  { store, events }: WaiverService,
  id: number,
): Promise<Waiver> {
  const removed = await store.removeWaiver(id);
  if (removed === undefined) throw new AppError("ErrWaiversNotFound", `Waiver ${id} not found`);
  events.publish(removed.sha256);
  return removed;
}

function expiryOf(text: string, now: number): number {
  const time = parseTime(text);
  if (time !== undefined && time > now) return time;
  throw invalid(`Invalid expires_at ${quoted(text)}: expected an RFC 3339 time in the future`);
}

function invalid(message: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", message);
}
