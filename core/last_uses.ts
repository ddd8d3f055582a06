import type { CredentialStore } from "./credential_store.ts";
import { asError, type Log } from "./log.ts";
import { Periodic } from "./periodic.ts";

/** How long a use may be known to this process alone. */
const INTERVAL_MS = 60_000;

/**
 * Notes when short credentials, or sessions, were used last (C 31): once a minute for all of them, and at the end, so that
 * no request waits for it.
 */
export class LastUses implements AsyncDisposable {
  readonly #store: Pick<CredentialStore, "noteUses">;
  readonly #log: Log;
  readonly #periodic: Periodic;
  /** Times in milliseconds since the Unix epoch, by `jti`. */
  #noted = new Map<string, number>();

  constructor(store: Pick<CredentialStore, "noteUses">, log: Log) {
    this.#store = store;
    this.#log = log;
    this.#periodic = new Periodic(() => this.#save(), INTERVAL_MS);
  }

  note(jti: string): void {
    this.#noted.set(jti, Date.now());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#periodic[Symbol.asyncDispose]();
    await this.#save();
  }

  async #save(): Promise<void> {
    if (this.#noted.size === 0) return;
    const uses = this.#noted;
    this.#noted = new Map();
    try {
      await this.#store.noteUses(uses);
    } catch (error) {
      // The next time tries again.
      this.#noted = new Map([...uses, ...this.#noted]);
      this.#log.error("Cannot note when credentials or sessions were used", {
        error: asError(error),
      });
    }
  }
}
