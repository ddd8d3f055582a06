/** Lets asynchronous work run one after the other, first come, first served. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `work` when all work given before has ended, however it ended. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {
      // Whoever gave the work hears of it; the next one does not mind.
    });
    return turn;
  }
}
