import type { DamagedContent } from "./errors.ts";
import type { Log } from "./log.ts";

/** Logs and counts damaged content, whatever operation found it. */
export class DamageLog {
  readonly #log: Log;
  #count = 0;
  #repairs = 0;

  constructor(log: Log) {
    this.#log = log;
  }

  /** How often damaged content was found since the start. */
  get count(): number {
    return this.#count;
  }

  /** How often damaged content was replaced by intact content since the start. */
  get repairs(): number {
    return this.#repairs;
  }

  /** Reports damaged content that was found and replaced. */
  reportRepair(damage: DamagedContent): void {
    this.report(damage);
    this.#repairs++;
    this.#log.info("Replaced damaged content with that of an upload", { hash: damage.hash });
  }

  report({ hash, expected, found }: DamagedContent): void {
    this.#count++;
    this.#log.error("Damaged content", { hash, expected, found });
  }
}
