/** A temporary directory, deleted when it is disposed of. */
export class TempDir implements AsyncDisposable {
  private constructor(readonly path: string) {}

  static async make(): Promise<TempDir> {
    return new TempDir(await Deno.makeTempDir({ prefix: "strongroom-test-" }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(this.path, { recursive: true });
  }
}
