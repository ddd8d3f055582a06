import type { SharedUpkeep } from "./ports.ts";

/** While nothing happens, one of so many rounds looks for what a server has left that has ended. */
const IDLE_ROUNDS = 30;

/**
 * Tells which rounds of upkeep may find something. Where a look asks a database server, there are few of them while
 * this server changes nothing (C 31): others see to what they change themselves.
 */
export class IdleRounds {
  readonly #shared: Pick<SharedUpkeep, "written"> | undefined;
  #written: number | undefined;
  #idle = 0;

  /** @param shared What servers do together that share a database; none if this one has its own. */
  constructor(shared: Pick<SharedUpkeep, "written"> | undefined) {
    this.#shared = shared;
  }

  /** Begins a round. Returns whether it may find something. */
  begin(): boolean {
    if (this.#shared === undefined) return true;
    const written = this.#shared.written();
    const isIdle = written === this.#written && ++this.#idle < IDLE_ROUNDS;
    this.#written = written;
    if (!isIdle) this.#idle = 0;
    return !isIdle;
  }

  /** Has the next round look again, as this one has left something. */
  repeat(): void {
    this.#written = undefined;
  }
}
