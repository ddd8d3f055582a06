import { orMissing, removeFile } from "../../disk/files.ts";
import { Sequence } from "../../disk/sequence.ts";
import type { Appended, AuditSink } from "./audit_writer.ts";

const LINE_FEED = 0x0a;
const NEWLINE = Uint8Array.of(LINE_FEED);
/** How many files the log has at most, with those that it was renamed to. */
const FILES = 8;

/** A file of the log. */
interface OpenLog {
  readonly file: Deno.FsFile;
  /** For syncs: a call on an open file fails while another one is in progress. */
  readonly synced: Deno.FsFile;
  readonly inode: number | null;
}

/**
 * The file `audit.log`. Another program may rename it at any time: a new one is created within a second. Once
 * it has an eighth of the size that the log may have, it becomes `audit.log.1`, which becomes `audit.log.2`, and
 * so on; what was `audit.log.7` is removed.
 */
export class AuditFile implements AuditSink {
  readonly #path: string;
  readonly #fileBytes: number;
  #log: OpenLog;
  /** Whether the file ends with a part of a line. */
  #isTorn = false;
  /** Lines are appended, and files opened, one after the other. */
  readonly #sequence = new Sequence();

  /**
   * @param maxBytes The size that the log may have; 0 for any.
   * @throws {Error} when the file cannot be opened.
   */
  constructor(path: string, maxBytes = 0) {
    this.#path = path;
    this.#fileBytes = maxBytes === 0 ? Infinity : maxBytes / FILES;
    const file = Deno.openSync(path, APPENDED);
    const { ino: inode } = file.statSync();
    this.#log = { file, synced: Deno.openSync(path, APPENDED), inode };
    this.#isTorn = endsWithinLine(path, file);
  }

  append(lines: Uint8Array): Promise<Appended> {
    return this.#sequence.run(async () => {
      const { file } = this.#log;
      if (this.#isTorn) {
        const { error } = await appendTo(file, NEWLINE);
        if (error !== undefined) return { bytes: 0, error };
      }
      this.#isTorn = true;
      const appended = await appendTo(file, lines);
      this.#isTorn = appended.bytes < lines.length;
      return appended;
    });
  }

  async sync(): Promise<void> {
    const { synced, inode } = this.#log;
    await synced.syncData();
    const found = await orMissing(Deno.lstat(this.#path));
    const isInPlace = found?.ino === inode;
    if (isInPlace && found.size < this.#fileBytes) return;
    await this.#sequence.run(async () => {
      if (isInPlace) await this.#rotate();
      await this.#reopen();
    });
  }

  close(): void {
    this.#log.file.close();
    this.#log.synced.close();
  }

  /** Gives each file of the log the name of the next. A kill on the way leaves one name without a file. */
  async #rotate(): Promise<void> {
    await removeFile(`${this.#path}.${FILES - 1}`);
    for (let index = FILES - 2; index > 0; index--) {
      await orMissing(Deno.rename(`${this.#path}.${index}`, `${this.#path}.${index + 1}`));
    }
    await orMissing(Deno.rename(this.#path, `${this.#path}.1`));
  }

  async #reopen(): Promise<void> {
    const renamed = this.#log;
    this.#log = await openLog(this.#path);
    this.#isTorn = false;
    await renamed.synced.syncData();
    renamed.file.close();
    renamed.synced.close();
  }
}

/** Opens, or creates, the file at a path, twice. */
async function openLog(path: string): Promise<OpenLog> {
  for (;;) {
    using opened = new DisposableStack();
    const file = opened.use(await Deno.open(path, APPENDED));
    const synced = opened.use(await Deno.open(path, APPENDED));
    const [{ ino: inode }, second] = await Promise.all([file.stat(), synced.stat()]);
    // Another program may rename the file in between.
    if (second.ino !== inode) continue;
    opened.move();
    return { file, synced, inode };
  }
}

/** Standard error. */
export const auditStderr: AuditSink = {
  append: (lines) => appendTo(Deno.stderr, lines),
  sync: () => Promise.resolve(),
  close() {},
};

/** Writes lines as far as possible. */
async function appendTo(
  target: Pick<Deno.FsFile, "write">,
  lines: Uint8Array,
): Promise<Appended> {
  let written = 0;
  try {
    while (written < lines.length) written += await target.write(lines.subarray(written));
    return { bytes: written };
  } catch (error) {
    return { bytes: lines.subarray(0, written).lastIndexOf(LINE_FEED) + 1, error };
  }
}

const APPENDED: Deno.OpenOptions = { append: true, create: true, mode: 0o600 };

/** Whether the process that last wrote the file was killed within a line. */
function endsWithinLine(path: string, file: Deno.FsFile): boolean {
  const { size } = file.statSync();
  if (size === 0) return false;
  using reader = Deno.openSync(path, { read: true });
  reader.seekSync(size - 1, Deno.SeekMode.Start);
  const last = new Uint8Array(1);
  reader.readSync(last);
  return last[0] !== LINE_FEED;
}
