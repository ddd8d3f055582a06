import type { FileTotals } from "../../storage/disk/file_comparison.ts";
import { ProgressBar, progressScreen } from "../progress_bar.ts";

/** Counts what is done, and shows it on a terminal. */
export class Meter implements Disposable {
  readonly #bar: ProgressBar;
  #files = 0;
  #bytes = 0;

  /** @param label What is done, in a word or two. */
  constructor(total: FileTotals, label: string) {
    this.#bar = new ProgressBar(total, progressScreen(), label);
  }

  /** Counts bytes. A negative number takes those back that have to be sent again. */
  add(bytes: number): void {
    this.#bytes += bytes;
    this.#show();
  }

  /** Counts files whose bytes are counted. */
  finish(files = 1): void {
    this.#files += files;
    this.#show();
  }

  /** Takes the bar off the terminal, until something is counted. */
  clear(): void {
    this.#bar.clear();
  }

  #show(): void {
    this.#bar.show({ files: this.#files, bytes: this.#bytes });
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

/** Counts the bytes of one file, which may have to be transferred again. */
export class FileMeter {
  readonly #meter: Meter;
  #bytes = 0;

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#meter.add(bytes);
  }

  /** Begins anew at a position. */
  restart(position = 0): void {
    this.add(position - this.#bytes);
  }
}
