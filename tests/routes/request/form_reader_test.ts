import * as assert from "node:assert/strict";
import fc from "fast-check";
import type { Chunk } from "../../../core/content.ts";
import { BodyReader } from "../../../routes/request/body.ts";
import { FormReader } from "../../../routes/request/form_reader.ts";
import { noise } from "../../support/random.ts";
import { joinBytes } from "../../support/raw_http.ts";

/** A request with the body and its length. */
function requestOf(body: ReadableStream<Chunk>): Pick<Request, "body" | "headers"> {
  return { body, headers: new Headers({ "Content-Length": "1" }) };
}

/** A body in pieces, as a byte stream or another one. */
function bodyOf(
  bytes: Chunk,
  lengths: readonly number[],
  kind: "bytes" | undefined,
): ReadableStream<Chunk> {
  let at = 0;
  let piece = 0;
  const pull = (controller: ReadableStreamController<Chunk>) => {
    if (at >= bytes.length) {
      controller.close();
      // A pending read of a byte stream ends only with a response.
      if ("byobRequest" in controller) controller.byobRequest?.respond(0);
      return;
    }
    const length = Math.max(1, lengths[piece++ % Math.max(lengths.length, 1)] ?? bytes.length);
    controller.enqueue(bytes.slice(at, at + length));
    at += length;
  };
  return kind === "bytes"
    ? new ReadableStream({ type: "bytes", pull })
    : new ReadableStream({ pull });
}

/** The heads and contents of all parts. */
async function partsOf(body: ReadableStream<Chunk>): Promise<[string, Chunk][]> {
  const reader = new BodyReader(requestOf(body), "form", { maxBytes: 2 ** 30 });
  using form = new FormReader(reader, "bound");
  const parts: [string, Chunk][] = [];
  try {
    for (let head = await form.nextPart(); head !== undefined; head = await form.nextPart()) {
      const chunks: Chunk[] = [];
      for await (const chunk of form.content()) chunks.push(chunk.slice());
      parts.push([head, joinBytes(chunks)]);
    }
    return parts;
  } finally {
    await reader.cancel();
  }
}

const form = (contents: readonly Chunk[]) =>
  joinBytes([
    ...contents.flatMap((content, index) => [`--bound\r\nX: ${index}\r\n\r\n`, content, "\r\n"]),
    "--bound--\r\nepilogue",
  ]);

Deno.test("RS 4.2 FormReader finds all parts, however the body is cut", async () => {
  // Pieces of boundaries, which are content unless they are whole.
  const fragment = fc.constantFrom("\r", "\n", "\r\n", "--", "\r\n--", "\r\n--boun", "bound", "x");
  const content = fc.array(fragment, { maxLength: 20 }).map((it) => joinBytes(it))
    .filter((it) => !new TextDecoder().decode(joinBytes(["\r\n", it])).includes("\r\n--bound"));
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 4 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 8 }),
      fc.constantFrom("bytes" as const, undefined),
      async (contents, lengths, kind) => {
        const parts = await partsOf(bodyOf(form(contents), lengths, kind));
        assert.deepEqual(parts, contents.map((it, index) => [`\r\nX: ${index}`, it]));
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("RS 4.2 FormReader reads contents larger than its memory", async () => {
  const contents = [
    noise(3_000_000, 1),
    noise(0),
    noise(65_536, 2),
    noise(1_048_576, 3),
    noise(5, 4),
  ];
  for (const kind of ["bytes", undefined] as const) {
    for (const lengths of [[65_536], [1_000_003, 17], []]) {
      const parts = await partsOf(bodyOf(form(contents), lengths, kind));
      assert.deepEqual(parts.map(([, it]) => it), contents);
    }
  }
});

Deno.test("RS 4.2 FormReader collects content in large chunks, and gives their memory away", async () => {
  const contents = [noise(5_000_000, 1), noise(70_000, 2)];
  const reader = new BodyReader(requestOf(bodyOf(form(contents), [1400], "bytes")), "form", {
    maxBytes: 2 ** 30,
  });
  using parts = new FormReader(reader, "bound");
  for (const content of contents) {
    await parts.nextPart();
    const chunks: Chunk[] = [];
    for await (const chunk of parts.content()) {
      chunks.push(chunk.slice());
      chunk.buffer.transfer();
    }
    assert.deepEqual(joinBytes(chunks), content);
    assert.ok(chunks.length <= 6, `${chunks.length} chunks`);
  }
  assert.equal(await parts.nextPart(), undefined);
  await reader.cancel();
});

Deno.test("RS 4.2 FormReader skips what is not read of a part", async () => {
  const contents = [noise(300_000, 1), noise(100, 2), noise(200_000, 3)];
  const reader = new BodyReader(requestOf(bodyOf(form(contents), [5000], "bytes")), "form", {
    maxBytes: 2 ** 30,
  });
  using parts = new FormReader(reader, "bound");
  assert.equal(await parts.nextPart(), "\r\nX: 0");
  assert.equal(await parts.nextPart(), "\r\nX: 1");
  for await (const _ of parts.content()) break;
  assert.equal(await parts.nextPart(), "\r\nX: 2");
  assert.equal(await parts.nextPart(), undefined);
  await reader.cancel();
});
