import * as assert from "node:assert/strict";
import type { Chunk } from "../../../core/content.ts";
import { AppError } from "../../../core/errors.ts";
import { linesOf, MAX_LINE_BYTES } from "../../../routes/hub/lines.ts";
import { BodyReader } from "../../../routes/request/body.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function bodyOf(...chunks: string[]): BodyReader {
  const body = ReadableStream.from(chunks.map((chunk) => encoder.encode(chunk)));
  return new BodyReader({ body, headers: new Headers() }, "body", { maxBytes: 1e9 });
}

async function read(body: BodyReader): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(body, () => Promise.resolve())) lines.push(decoder.decode(line));
  return lines;
}

Deno.test("C 20 lines end at newlines, wherever the body is cut", async () => {
  assert.deepEqual(await read(bodyOf()), []);
  assert.deepEqual(await read(bodyOf("a")), ["a"]);
  assert.deepEqual(await read(bodyOf("a\n")), ["a"]);
  assert.deepEqual(await read(bodyOf("\n\na\n\n")), ["", "", "a", ""]);
  const text = "first\nsecond line\n\nfourth";
  for (let cut = 0; cut <= text.length; cut++) {
    assert.deepEqual(await read(bodyOf(text.slice(0, cut), text.slice(cut))), text.split("\n"));
  }
});

Deno.test("C 20 a line longer than the memory waits until it may be read", async () => {
  const long = "x".repeat(1_000_000);
  const body = bodyOf(`a\n${long}`, `\n${"b\n".repeat(10)}${long}\nend\nof`, " all");
  const asked: number[] = [];
  const lengths: number[] = [];
  const permitted = () => Promise.resolve(void asked.push(lengths.length));
  for await (const line of linesOf(body, permitted)) lengths.push(line.length);
  assert.deepEqual(lengths, [1, 1_000_000, ...Array(10).fill(1), 1_000_000, 3, 6]);
  assert.deepEqual(asked, [1]);
});

Deno.test("C 20 an endless line is refused", async () => {
  let sent = 0;
  const chunk: Chunk = new Uint8Array(1_000_000).fill(0x78);
  const body = new ReadableStream<Chunk>({
    pull(controller) {
      sent += chunk.length;
      controller.enqueue(chunk.slice());
    },
  });
  const reader = new BodyReader({ body, headers: new Headers() }, "body", { maxBytes: 1e9 });
  await assert.rejects(
    read(reader),
    (error) => error instanceof AppError && /a line is longer than \d+ bytes/.test(error.message),
  );
  assert.ok(sent < MAX_LINE_BYTES + 3_000_000, `${sent} bytes were read`);
});
