import { formatBytes } from "../schemas/units.ts";
import { readVariable } from "./environment.ts";

/** How many files and bytes are done, or are to be done. */
export interface Progress {
  readonly files: number;
  readonly bytes: number;
}

export interface ProgressView {
  readonly done: Progress;
  readonly total: Progress;
  /** Seconds since the start. */
  readonly seconds: number;
  /** Characters of the line. */
  readonly width: number;
  /** What is done, in a word or two. @default nothing */
  readonly label?: string | undefined;
}

/** How many cells a bar may have, which depends on the room that the rest of the line leaves. */
const BAR_WIDTHS = [24, 16, 8] as const;

/** The terminal that a bar is drawn on. */
export interface ProgressScreen {
  write(text: string): void;
  columns(): number;
}

/** The width of a terminal that does not know its own. */
const DEFAULT_COLUMNS = 80;
/** The shortest time between two redraws, in milliseconds. */
const REDRAW_MS = 200;

/** Whether a terminal understands control sequences. `TERM=dumb` says no. */
export function hasControls(): boolean {
  return readVariable("TERM") !== "dumb";
}

/** Erases a line, and leaves the cursor at its begin. */
const ERASE = "\r\x1b[K";

/**
 * The terminal of this process; undefined if stderr goes elsewhere.
 *
 * @param endsOnStop Whether a stop signal erases what is drawn, and ends the process. @default true
 */
export function progressScreen(
  { endsOnStop = true }: { readonly endsOnStop?: boolean } = {},
): ProgressScreen | undefined {
  if (!Deno.stderr.isTerminal() || !hasControls()) return undefined;
  const write = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
  if (endsOnStop) eraseOnStop(write);
  return { write, columns: () => Deno.consoleSize().columns || DEFAULT_COLUMNS };
}

let erasesOnStop = false;

/** Makes stop signals erase the line that is drawn, where the next prompt begins. */
function eraseOnStop(write: (text: string) => void): void {
  if (erasesOnStop) return;
  erasesOnStop = true;
  for (const [signal, number] of [["SIGINT", 2], ["SIGTERM", 15]] as const) {
    Deno.addSignalListener(signal, () => {
      write(ERASE);
      // As a shell says that a signal ended a command.
      Deno.exit(128 + number);
    });
  }
}

/** A line of a terminal that is drawn over again, a few times a second at most. */
class RedrawnLine {
  readonly #screen: ProgressScreen | undefined;
  #drawn = 0;

  /** @param screen Without one, nothing is drawn. */
  constructor(screen: ProgressScreen | undefined) {
    this.#screen = screen;
  }

  draw(textOf: (width: number) => string): void {
    const now = Date.now();
    if (this.#screen === undefined || now - this.#drawn < REDRAW_MS) return;
    this.#drawn = now;
    this.#write(textOf(this.#screen.columns()));
  }

  /** Erases the line. */
  clear(): void {
    if (this.#drawn > 0) this.#write("");
    this.#drawn = 0;
  }

  #write(text: string): void {
    this.#screen?.write(ERASE + text);
  }
}

/** Shows on one line of a terminal what is being done, when the total is unknown. */
export class StatusLine implements Disposable {
  readonly #line: RedrawnLine;

  /** @param screen Without one, nothing is drawn. */
  constructor(screen: ProgressScreen | undefined, text: string) {
    this.#line = new RedrawnLine(screen);
    this.show(text);
  }

  show(text: string): void {
    this.#line.draw((width) => text.slice(0, width));
  }

  /** Erases the line. */
  [Symbol.dispose](): void {
    this.#line.clear();
  }
}

/** Draws the progress of work on files on one line of a terminal, a few times a second. */
export class ProgressBar {
  readonly #line: RedrawnLine;
  readonly #total: Progress;
  readonly #started = Date.now();
  readonly #label: string | undefined;

  /**
   * @param screen Without one, nothing is drawn.
   * @param label What is done, in a word or two. @default nothing
   */
  constructor(total: Progress, screen: ProgressScreen | undefined, label?: string) {
    this.#total = total;
    this.#line = new RedrawnLine(screen);
    this.#label = label;
  }

  show(done: Progress): void {
    const seconds = (Date.now() - this.#started) / 1000;
    const view = { done, total: this.#total, seconds, label: this.#label };
    this.#line.draw((width) => progressLine({ ...view, width }));
  }

  /** Erases the line. */
  clear(): void {
    this.#line.clear();
  }
}

/** The progress on one line: a bar, files, bytes, rate and the remaining time. A narrow one lacks what comes first. */
export function progressLine({ done, total, seconds, width, label }: ProgressView): string {
  const share = total.bytes === 0 ? 1 : Math.min(1, done.bytes / total.bytes);
  const rate = seconds > 0 ? done.bytes / seconds : 0;
  const left = rate > 0 ? `, ${duration((total.bytes - done.bytes) / rate)} left` : "";
  const speed = `${formatBytes(rate)}/s${left}`;
  const bytes = `${formatBytes(done.bytes)} of ${formatBytes(total.bytes)}, ${speed}`;
  const files = `${done.files}/${total.files} files, ${bytes}`;
  const named = label === undefined ? "" : `${label} `;
  const lines = [
    ...BAR_WIDTHS.map((cells) => `${named}${bar(share, cells)} ${files}`),
    ...[`${named}${files}`, files, bytes, speed],
  ];
  return lines.find((line) => line.length <= width) ?? speed.slice(0, Math.max(0, width));
}

function bar(share: number, cells: number): string {
  return `[${"#".repeat(Math.floor(share * cells)).padEnd(cells, "-")}]`;
}

function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
}
