import * as assert from "node:assert/strict";
import fc from "fast-check";
import { encodeFrame, FrameDecoder } from "../../../storage/scanners/frames.ts";

const LIMITS = { maxHeaderBytes: 1000, maxBodyBytes: 1000 };

Deno.test("frames arrive as they were sent, however the stream is cut", () => {
  const frame = fc.record({
    header: fc.dictionary(fc.string({ unit: "binary" }), fc.string({ maxLength: 20 }), {
      maxKeys: 3,
    }),
    body: fc.uint8Array({ maxLength: 50 }),
  });
  fc.assert(fc.property(fc.array(frame), fc.integer({ min: 1, max: 40 }), (sent, step) => {
    const stream = new Uint8Array(
      sent.flatMap(({ header, body }) => encodeFrame(header, body).flatMap((it) => [...it])),
    );
    const decoder = new FrameDecoder(LIMITS);
    const received = [];
    for (let at = 0; at < stream.length; at += step) {
      received.push(...decoder.push(stream.subarray(at, at + step)));
    }
    const parsed = sent.map(({ header, body }) => ({
      header: JSON.parse(JSON.stringify(header)),
      body: [...body],
    }));
    assert.deepEqual(received.map(({ header, body }) => ({ header, body: [...body] })), parsed);
  }));
});

Deno.test("a frame beyond the limits is refused before it arrives", () => {
  for (const [header, body] of [[1001, 0], [0, 1001], [2 ** 32 - 1, 2 ** 32 - 1]] as const) {
    const lengths = new DataView(new ArrayBuffer(8));
    lengths.setUint32(0, header, true);
    lengths.setUint32(4, body, true);
    const decoder = new FrameDecoder(LIMITS);
    assert.throws(() => [...decoder.push(new Uint8Array(lengths.buffer))], RangeError);
  }
});
