import { setImmediate } from "node:timers";
import { Md5, type Md5Update } from "./md5.ts";
import { MAX_CONTENTS } from "./md5_module.ts";

interface Waiting {
  readonly updates: readonly Md5Update[];
  readonly done: () => void;
}

/** Adds bytes to MD5s, to those of several contents at the same time if bytes of several have arrived. */
export class Md5Queue {
  #waiting: Waiting[] = [];

  /** Returns when the bytes are added. Those of one MD5 are added in the order of the calls. */
  add(updates: readonly Md5Update[]): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#waiting.push({ updates, done: resolve }) === 1) this.#addLater();
    return promise;
  }

  /** Lets the thread receive what has been sent to it. */
  #addLater(): void {
    setImmediate(() => {
      this.#addNext();
      if (this.#waiting.length > 0) this.#addLater();
    });
  }

  /** Adds what has waited the longest, for as many contents as take little longer than one. */
  #addNext(): void {
    const seen = new Set<Md5>();
    const batch: Waiting[] = [];
    for (const it of this.#waiting) {
      if (batch.length === MAX_CONTENTS) break;
      if (!it.updates.some(({ md5 }) => seen.has(md5))) batch.push(it);
      for (const { md5 } of it.updates) seen.add(md5);
    }
    this.#waiting = this.#waiting.filter((it) => !batch.includes(it));
    Md5.updateAll(batch.flatMap(({ updates }) => updates));
    for (const { done } of batch) done();
  }
}
