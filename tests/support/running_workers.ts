/** Counts the workers that this thread starts and has not ended, until it is disposed of. */
export class RunningWorkers implements Disposable {
  readonly #original = globalThis.Worker;
  count = 0;
  /** The most that ran at once. */
  max = 0;

  constructor() {
    const add = (change: number) => {
      this.count += change;
      this.max = Math.max(this.max, this.count);
    };
    globalThis.Worker = class extends Worker {
      #isEnded = false;

      constructor(...args: ConstructorParameters<typeof Worker>) {
        super(...args);
        add(1);
      }

      override terminate(): void {
        if (!this.#isEnded) add(-1);
        this.#isEnded = true;
        super.terminate();
      }
    };
  }

  [Symbol.dispose](): void {
    globalThis.Worker = this.#original;
  }
}
