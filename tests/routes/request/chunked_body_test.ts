import * as assert from "node:assert/strict";
import { BodyReader } from "../../../routes/request/body.ts";
import { BASE_PATH } from "../../../schemas/base_path.ts";
import { KIB, MIB } from "../../../schemas/units.ts";
import { TestServer } from "../../support/server.ts";

interface Chunks {
  readonly bytes: number;
  readonly count: number;
  /** Called with the bytes that the connection has taken. @default nothing */
  readonly onSent?: (bytes: number) => void;
}

/** Sends a body over a connection of its own, as `count` chunks of as many bytes. Returns the reply. */
async function sendChunks(
  port: number,
  head: string,
  { bytes, count, onSent = () => {} }: Chunks,
): Promise<string> {
  using connection = await Deno.connect({ port });
  const send = async (data: Uint8Array) => {
    while (data.length > 0) {
      const written = await connection.write(data);
      onSent(written);
      data = data.subarray(written);
    }
  };
  const chunk = `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
  const atOnce = Math.min(count, Math.ceil(64 * KIB / chunk.length));
  const chunks = new TextEncoder().encode(chunk.repeat(atOnce));
  await send(new TextEncoder().encode(`${head}\r\nTransfer-Encoding: chunked\r\n\r\n`));
  const reply = readReply(connection);
  const sending = (async () => {
    for (let left = count; left > 0; left -= atOnce) await send(chunks);
    await send(new TextEncoder().encode("0\r\n\r\n"));
  })().catch(() => {
    // The server has given it up.
  });
  const text = await reply;
  connection.close();
  await sending;
  return text;
}

async function readReply(connection: Deno.Conn): Promise<string> {
  const memory = new Uint8Array(4 * KIB);
  return new TextDecoder().decode(memory.subarray(0, await connection.read(memory) ?? 0));
}

for (const bytes of [2, 8, 16, 64].map((it) => it * KIB)) {
  Deno.test(`C 22 what a client sends faster than it is read waits at the client: chunks of ${bytes}`, async () => {
    let sent = 0;
    let received = 0;
    let peak = 0;
    await using server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
      const reader = new BodyReader(request, "body", { maxBytes: Infinity });
      let memory: Uint8Array<ArrayBuffer> = new Uint8Array(MIB);
      let unpaused = 0;
      for (;;) {
        const read = await reader.readInto(memory, 0);
        if (read.bytes === 0) break;
        memory = read.memory;
        received += read.bytes;
        unpaused += read.bytes;
        if (unpaused < MIB) continue;
        unpaused = 0;
        peak = Math.max(peak, sent - received);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      return new Response();
    });
    const { port } = server.addr;
    const onSent = (bytes: number) => sent += bytes;
    const head = "PUT / HTTP/1.1\r\nHost: localhost";
    await sendChunks(port, head, { bytes, count: 64 * MIB / bytes, onSent });
    // The system takes some megabytes for both ends of the connection.
    assert.ok(peak < 24 * MIB, `${peak} bytes were under way`);
  });
}

Deno.test("C 22 a body of tiny chunks is given up when it takes too long", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const { port } = new URL(server.url);
  const head = `PUT ${BASE_PATH}/files/tiny HTTP/1.1\r\nHost: localhost\r\n` +
    `Authorization: Bearer ${one.token}`;
  const reply = await sendChunks(Number(port), head, { bytes: 1, count: 4_000_000 });
  assert.match(reply, /^HTTP\/1\.1 400 /);
  assert.match(server.log.join("\n"), /its chunks are too small/);
  assert.equal((await one.send("GET", "/usage/")).status, 200);
});

Deno.test("C 22 a client that sends short chunks slowly gets the reason of a refusal", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const { port } = new URL(server.url);
  using connection = await Deno.connect({ port: Number(port) });
  const send = (text: string) => connection.write(new TextEncoder().encode(text));
  await send(
    `PUT ${BASE_PATH}/files/slow HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n` +
      `Content-MD5: ${btoa("0".repeat(16))}\r\nAuthorization: Bearer ${one.token}\r\n` +
      "Transfer-Encoding: chunked\r\n\r\n",
  );
  for (let sent = 0; sent < 1500; sent++) {
    await send("1\r\n \r\n");
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await send("0\r\n\r\n");
  const reply = await new Response(connection.readable).text();
  assert.match(
    reply,
    /^HTTP\/1\.1 400 [^]*\r\n\r\n\{"status":"error","code":"\w+","msg":"[^"]*Content-MD5/,
  );
});
