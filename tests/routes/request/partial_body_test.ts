import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { partialBody } from "../../../routes/request/partial_body.ts";

/** Longer than reading goes on without a turn of other work. */
const LONG_MS = 30;

/** Reads a body of three bytes that does not end, and cuts it off so many microtasks after these have come. */
async function readUntilCut(microtasks: number): Promise<number> {
  let pulls = 0;
  const cutLater = async () => {
    for (let task = 0; task < microtasks; task++) await undefined;
    cut();
  };
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    type: "bytes",
    pull(controller) {
      if (pulls++ > 0) return;
      for (const start = performance.now(); performance.now() - start < LONG_MS;);
      controller.enqueue(new Uint8Array(3));
      cutLater();
    },
  });
  const { content, cut } = partialBody(new Request("http://test", { method: "PATCH", body }));
  let received = 0;
  await assert.rejects(async () => {
    for await (const chunk of content) received += chunk.length;
  }, (error) => error instanceof AppError && error.kind === "ErrUploadsLocked");
  return received;
}

Deno.test("C 21 a body that is cut off ends with an error at any moment, after what came", async () => {
  for (let microtasks = 0; microtasks < 40; microtasks++) {
    const received = await readUntilCut(microtasks);
    assert.ok(received === 3 || microtasks < 20 && received === 0, `${received} at ${microtasks}`);
  }
});
