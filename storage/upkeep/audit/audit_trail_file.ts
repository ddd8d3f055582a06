import * as v from "valibot";
import type { AuditPage, AuditPageRequest, AuditTrail } from "../../../core/audit.ts";
import { AuditLine } from "../../../schemas/audit.ts";
import { MIB } from "../../../schemas/units.ts";
import { orMissing } from "../../disk/files.ts";
import { linesBackward } from "./lines_backward.ts";

/** A page ends when this much of the log has been read, */
const MAX_READ_BYTES = 4 * MIB;
/** or when its lines have this size together. */
const MAX_PAGE_BYTES = MIB;
/** The most files of a log that are looked at. */
const MAX_FILES = 100;
/** How often a file is looked for that is renamed at the same time. */
const MAX_ATTEMPTS = 5;

/** A place in the log: a file by its inode, whatever its name has become, and a byte. */
interface Position {
  readonly file: number;
  readonly end: number;
}

interface LogFile {
  readonly path: string;
  readonly ino: number;
  readonly size: number;
}

export interface AuditTrailOptions {
  /** The path of the log. */
  readonly path: string;
  /** @default 4194304 */
  readonly maxReadBytes?: number;
}

/**
 * Reads `audit.log` backward, and then the files that it was renamed to: `audit.log.1`, `audit.log.2` and so
 * on, as far as they are there.
 * See docs/design/audit_log.md.
 */
export class AuditTrailFile implements AuditTrail {
  readonly #path: string;
  readonly #maxReadBytes: number;

  constructor({ path, maxReadBytes = MAX_READ_BYTES }: AuditTrailOptions) {
    this.#path = path;
    this.#maxReadBytes = maxReadBytes;
  }

  async read({ before, ...request }: AuditPageRequest): Promise<AuditPage | undefined> {
    const page = new Page(request, this.#maxReadBytes);
    let position = before === undefined ? undefined : parsePosition(before);
    if (before !== undefined && position === undefined) return undefined;
    if (position !== undefined && !await this.#has(position)) return undefined;
    for (;;) {
      const found = await this.#open(position);
      if (found === undefined) return page.ended();
      using file = found.file;
      const end = await page.take(file, found.end);
      if (page.isOver) return page.ended();
      position = { file: found.inode, end };
      if (!page.isFull) continue;
      const isLast = end === 0 && await this.#after(found.inode) === undefined;
      return isLast ? page.ended() : page.upTo(`${position.file}-${position.end}`);
    }
  }

  async #has({ file, end }: Position): Promise<boolean> {
    for await (const { ino, size } of this.#files()) if (ino === file) return end <= size;
    return false;
  }

  /** Opens the file of a position, or the one after it if there is nothing before the position. */
  async #open(
    position: Position | undefined,
  ): Promise<{ file: Deno.FsFile; inode: number; end: number } | undefined> {
    const isInside = position !== undefined && position.end > 0;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const found = isInside ? await this.#named(position.file) : await this.#after(position?.file);
      if (found === undefined) return undefined;
      const file = await orMissing(Deno.open(found.path, { read: true }));
      const stat = await file?.stat();
      if (file !== undefined && stat !== undefined && stat.ino === found.ino) {
        const end = isInside ? Math.min(position.end, stat.size) : stat.size;
        return { file, inode: found.ino, end };
      }
      file?.close();
    }
    throw new Error("The audit log is renamed all the time");
  }

  async #named(inode: number): Promise<LogFile | undefined> {
    for await (const file of this.#files()) if (file.ino === inode) return file;
    return undefined;
  }

  /** The file with the lines before those of another one. @param inode @default the newest file */
  async #after(inode: number | undefined): Promise<LogFile | undefined> {
    let isFound = inode === undefined;
    for await (const file of this.#files()) {
      if (isFound && file.ino !== inode) return file;
      isFound ||= file.ino === inode;
    }
    return undefined;
  }

  /** The files of the log, newest first. */
  async *#files(): AsyncGenerator<LogFile> {
    let missing = 0;
    for (let index = 0; index < MAX_FILES; index++) {
      const path = index === 0 ? this.#path : `${this.#path}.${index}`;
      const found = await orMissing(Deno.stat(path));
      if (found !== undefined) yield { path, ino: found.ino ?? 0, size: found.size };
      // A new file is made within a second of the rotation, and a kill within one leaves a gap.
      else if (index > 0 && ++missing > 1) return;
    }
  }
}

/** A page while it is read. */
class Page {
  readonly #request: Omit<AuditPageRequest, "before">;
  readonly #lines: AuditLine[] = [];
  readonly #decoder = new TextDecoder();
  #skipped = 0;
  #bytes = 0;
  #left: number;
  /** Whether the log ends here for the reader. */
  isOver = false;

  constructor(request: Omit<AuditPageRequest, "before">, maxReadBytes: number) {
    this.#request = request;
    this.#left = maxReadBytes;
  }

  get isFull(): boolean {
    return this.#lines.length >= this.#request.limit || this.#bytes >= MAX_PAGE_BYTES ||
      this.#left <= 0;
  }

  /** Takes lines of a file that end before a byte. Returns before which byte it has stopped. */
  async take(file: Deno.FsFile, end: number): Promise<number> {
    let position = end;
    for await (const { bytes, start } of linesBackward(file, end)) {
      this.#left -= position - start;
      position = start;
      this.#add(bytes);
      if (this.isOver || this.isFull) return position;
    }
    return position;
  }

  ended(): AuditPage {
    return { lines: this.#lines, skipped: this.#skipped, next: undefined };
  }

  upTo(next: string): AuditPage {
    return { ...this.ended(), next };
  }

  #add(bytes: Uint8Array | undefined): void {
    if (bytes?.length === 0) return;
    const line = bytes === undefined ? undefined : parseLine(this.#decoder.decode(bytes));
    if (bytes === undefined || line === undefined) {
      this.#skipped++;
      return;
    }
    const choice = this.#request.choose(line);
    if (choice === "end") this.isOver = true;
    if (choice !== "keep") return;
    this.#lines.push(line);
    this.#bytes += bytes.length;
  }
}

function parseLine(text: string): AuditLine | undefined {
  try {
    const line = v.safeParse(AuditLine, JSON.parse(text));
    return line.success ? line.output : undefined;
  } catch {
    // A crash has cut it, or another program wrote it.
    return undefined;
  }
}

function parsePosition(text: string): Position | undefined {
  const [, file, end] = /^(\d{1,20})-(\d{1,15})$/.exec(text) ?? [];
  return file === undefined ? undefined : { file: Number(file), end: Number(end) };
}
