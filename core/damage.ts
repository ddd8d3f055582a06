import type { DamagedContent } from "./errors.ts";
import type { Log } from "./log.ts";

/** Logs and counts damaged content, whatever operation found it. */
export class DamageLog {
  readonly #log: Log;
  #count = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** How often damaged content was found since the start. */
  get count(): number {
    return this.#count;
  }

  report({ hash, expected, found }: DamagedContent): void {
    this.#count++;
    this.#log.error("Damaged content", { hash, expected, found });
  }
}
