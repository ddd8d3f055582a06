/** Runs pieces of work one after the other, in the order of the calls. */
export class Sequence {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs work after what came before, whether that has failed or not. Resolves or rejects as the work does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }
}
