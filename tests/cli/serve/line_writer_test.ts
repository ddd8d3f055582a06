import * as assert from "node:assert/strict";
import { LineWriter } from "../../../cli/serve/line_writer.ts";
import { ROOT } from "../../support/child_server.ts";
import { run } from "../../support/tools.ts";
import { until } from "../../support/until.ts";

Deno.test("LineWriter writes lines in batches, and warnings and errors at once", async () => {
  const printed: string[] = [];
  const { write } = new LineWriter((text) => printed.push(text));
  write("a", "info");
  write("b", "debug");
  assert.deepEqual(printed, []);
  await until(() => printed.length > 0);
  assert.deepEqual(printed, ["a\nb"]);
  write("c", "info");
  write("d", "warn");
  write("e", "error");
  assert.deepEqual(printed, ["a\nb", "c\nd", "e"]);
  write("x".repeat(70_000), "info");
  assert.equal(printed.length, 4);
});

Deno.test("LineWriter goes on when nothing can be printed", () => {
  let attempts = 0;
  const { write } = new LineWriter(() => {
    attempts++;
    throw new Error("the disk is full");
  });
  write("a", "error");
  write("b", "error");
  assert.equal(attempts, 2);
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
      import { LineWriter } from "${ROOT}cli/serve/line_writer.ts";
      const { write } = new LineWriter((text) => console.error(text));
      for (let line = 1; line <= 3; line++) write("line " + line, "info");
      ${end};
    `;
    const { stderr } = await run(Deno.execPath(), ["eval", code]);
    assert.match(stderr, /line 1\nline 2\nline 3\n/);
  });
}
