import { onStopSignals } from "../supervisor/signals.ts";

const EXIT_STOPPED = 130;

/** What came on stdin, as a file in the directory for temporary files. Removed when disposed of. */
export class StdinFile implements AsyncDisposable {
  private constructor(readonly path: string, readonly size: number) {}

  /** Reads stdin to its end. */
  static async read(): Promise<StdinFile> {
    const path = await Deno.makeTempFile({ prefix: "strongroom-stdin-" });
    onStopSignals(() => {
      Deno.removeSync(path);
      Deno.exit(EXIT_STOPPED);
    });
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
