import * as assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { LineWriter } from "../../cli/line_writer.ts";
import { ROOT } from "../support/child_server.ts";
import { run } from "../support/tools.ts";
import { until } from "../support/until.ts";

/** A reader of a log, which may stop reading, and takes a few bytes at a time. */
class FakeReader {
  text = "";
  writes = 0;
  error: Error | undefined;
  #stopped: PromiseWithResolvers<void> | undefined;

  stop(): void {
    this.#stopped = Promise.withResolvers();
  }

  goOn(): void {
    this.#stopped?.resolve();
    this.#stopped = undefined;
  }

  async write(bytes: Uint8Array): Promise<number> {
    this.writes++;
    await this.#stopped?.promise;
    return this.writeSync(bytes);
  }

  writeSync(bytes: Uint8Array): number {
    if (this.error !== undefined) throw this.error;
    const taken = bytes.subarray(0, 50_000);
    this.text += new TextDecoder().decode(taken);
    return taken.length;
  }
}

Deno.test("LineWriter writes lines in batches, and begins with warnings and errors at once", async () => {
  const sink = new FakeReader();
  const { write } = new LineWriter({ sink });
  write("a", "info");
  write("b", "debug");
  assert.equal(sink.writes, 0);
  await until(() => sink.text === "a\nb\n");
  assert.equal(sink.writes, 1);
  write("c", "info");
  write("d", "warn");
  assert.equal(sink.writes, 2);
  write("e", "error");
  await until(() => sink.text === "a\nb\nc\nd\ne\n");
  sink.text = "";
  write("x".repeat(120_000), "info");
  await until(() => sink.text.length === 120_001);
});

Deno.test("LineWriter drops and counts lines while nobody reads, and says so afterwards", async () => {
  const sink = new FakeReader();
  const reported: number[] = [];
  const writer = new LineWriter({ sink, onDropped: (lines) => reported.push(lines) });
  sink.stop();
  const line = "x".repeat(100_000);
  for (let index = 0; index < 30; index++) writer.write(line, "error");
  // One is being written, and ten wait.
  assert.equal(writer.dropped, 19);
  assert.deepEqual(reported, []);
  sink.goOn();
  await until(() => reported.length > 0);
  assert.deepEqual(reported, [19]);
  await until(() => sink.text.length === 11 * 100_001);
  writer.write("later", "error");
  await until(() => sink.text.endsWith("\nlater\n"));
  assert.deepEqual([writer.dropped, reported.length], [19, 1]);
});

Deno.test("LineWriter goes on when nothing can be printed, and counts what is lost", async () => {
  const sink = new FakeReader();
  const writer = new LineWriter({ sink });
  sink.error = new Error("the disk is full");
  writer.write("a", "error");
  await until(() => writer.dropped === 1);
  sink.error = undefined;
  writer.write("b", "error");
  await until(() => sink.text === "b\n");
});

const ENDS = {
  "an exit": "Deno.exit(3)",
  "the end of the program": "",
  "an exception": "setTimeout(() => { throw new Error('thrown'); }, 0)",
  "an exception in a microtask": "queueMicrotask(() => { throw new Error('thrown'); })",
  "a rejection": "Promise.reject(new Error('thrown'))",
};
for (const [name, end] of Object.entries(ENDS)) {
  Deno.test(`LineWriter loses no line at ${name}`, async () => {
    const code = `
      import { LineWriter } from "${pathToFileURL(`${ROOT}cli/line_writer.ts`)}";
      const { write } = new LineWriter();
      for (let line = 1; line <= 3; line++) write("line " + line, "info");
      write("line 4", "error");
      write("line 5", "info");
      ${end};
    `;
    const { stderr } = await run(Deno.execPath(), ["eval", code]);
    assert.match(stderr, /line 1\nline 2\nline 3\nline 4\nline 5\n/);
  });
}
