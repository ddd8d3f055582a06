import { onStopSignals } from "../supervisor/signals.ts";

const EXIT_STOPPED = 130;

/** What came on stdin, as a file in the directory for temporary files. Removed when disposed of. */
export class StdinFile implements AsyncDisposable {
  private constructor(readonly path: string, readonly size: number) {}

  /** Reads stdin to its end. */
  static async read(): Promise<StdinFile> {
    let created: string | undefined;
    onStopSignals(() => {
      if (created !== undefined) Deno.removeSync(created);
      Deno.exit(EXIT_STOPPED);
    });
    // Synchronous, so that no signal comes before the path is known.
    const path = created = Deno.makeTempFileSync({ prefix: "strongroom-stdin-" });
    try {
      const file = await Deno.open(path, { write: true });
      await Deno.stdin.readable.pipeTo(file.writable);
      const { size } = await Deno.stat(path);
      return new StdinFile(path, size);
    } catch (error) {
      await Deno.remove(path);
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path);
  }
}
