/** Over how long the rate is measured, in milliseconds. */
const PERIOD_MS = 4000;
/** A rate over less time than this says nothing, in milliseconds. */
const MIN_PERIOD_MS = 150;

/** How fast bytes leave. */
export class Rate {
  #total = 0;
  /** The bytes that had left at moments before now. */
  #samples: readonly { readonly at: number; readonly bytes: number }[] = [];

  add(bytes: number): void {
    this.#total += bytes;
  }

  /** Bytes a second over the last seconds. Call it repeatedly. */
  current(): number {
    const now = performance.now();
    const recent = this.#samples.filter(({ at }) => at > now - PERIOD_MS);
    this.#samples = [...recent, { at: now, bytes: this.#total }];
    const [first] = this.#samples;
    if (first === undefined || now - first.at < MIN_PERIOD_MS) return 0;
    return (this.#total - first.bytes) / ((now - first.at) / 1000);
  }
}
