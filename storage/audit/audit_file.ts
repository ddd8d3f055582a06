import type { AuditSink } from "./audit_writer.ts";

const NEWLINE = Uint8Array.of(0x0a);

/** The file `audit.log`. Another program may rename it at any time: a new one is created within a second. */
export class AuditFile implements AuditSink {
  readonly #path: string;
  #file: Deno.FsFile;
  /** Whether the file ends with a part of a line. */
  #isTorn = false;

  /** @throws {Error} when the file cannot be opened. */
  constructor(path: string) {
    this.#path = path;
    this.#file = openLog(path);
    this.#isTorn = endsWithinLine(path, this.#file);
  }

  append(lines: Uint8Array): void {
    if (this.#isTorn) writeAll(this.#file, NEWLINE);
    this.#isTorn = true;
    writeAll(this.#file, lines);
    this.#isTorn = false;
  }

  async sync(): Promise<void> {
    await this.#file.syncData();
    if (this.#isInPlace()) return;
    const renamed = this.#file;
    this.#file = openLog(this.#path);
    this.#isTorn = false;
    await renamed.syncData();
    renamed.close();
  }

  close(): void {
    this.#file.close();
  }

  #isInPlace(): boolean {
    try {
      return Deno.lstatSync(this.#path).ino === this.#file.statSync().ino;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return false;
      throw error;
    }
  }
}

/** Standard error. */
export const auditStderr: AuditSink = {
  append: (lines) => writeAll(Deno.stderr, lines),
  sync: () => Promise.resolve(),
  close() {},
};

function openLog(path: string): Deno.FsFile {
  return Deno.openSync(path, { append: true, create: true, mode: 0o600 });
}

/** Whether the process that last wrote the file was killed within a line. */
function endsWithinLine(path: string, file: Deno.FsFile): boolean {
  const { size } = file.statSync();
  if (size === 0) return false;
  using reader = Deno.openSync(path, { read: true });
  reader.seekSync(size - 1, Deno.SeekMode.Start);
  const last = new Uint8Array(1);
  reader.readSync(last);
  return last[0] !== NEWLINE[0];
}

function writeAll(file: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
}
