import type { Caller } from "./caller.ts";

/** The most credentials that are kept. */
const MAX_CREDENTIALS = 1000;
/** Longer credentials are verified each time. */
const MAX_LENGTH = 4096;

/** Keeps the callers of verified credentials, as verifying takes longer than all else of a small request. */
export class VerifiedCredentials {
  readonly #maxAgeMs: number;
  /** By credential, oldest first. */
  readonly #kept = new Map<string, { readonly caller: Caller; readonly until: number }>();

  /** @param maxAgeMs How long a credential is kept at most, in milliseconds. It may expire before. */
  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** The caller of a credential that was verified, unless it has expired since. */
  find(token: string): Caller | undefined {
    const entry = this.#kept.get(token);
    if (entry === undefined) return undefined;
    if (Date.now() < entry.until) return entry.caller;
    this.#kept.delete(token);
    return undefined;
  }

  /** Keeps a credential that was just verified. */
  keep(token: string, caller: Caller): void {
    if (token.length > MAX_LENGTH) return;
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_CREDENTIALS && oldest !== undefined) this.#kept.delete(oldest);
    const until = Math.min(caller.expiresAt, Date.now() + this.#maxAgeMs);
    this.#kept.set(token, { caller, until });
  }
}
