import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { noise } from "../support/random.ts";
import { type Client, items, type QueryParameters, refused } from "../support/client.ts";
import { checkInvariants } from "../support/invariants.ts";
import { TempDir } from "../support/temp_dir.ts";
import { TestServer } from "../support/server.ts";
import { moveToFile, overwriteContent } from "../support/stored_content.ts";
import { hasProgram, run } from "../support/tools.ts";

type Bytes = Uint8Array<ArrayBuffer>;

const SMALL = new TextEncoder().encode("a line of text that repeats itself\n".repeat(100));
const CONTENTS: Readonly<Record<string, Bytes>> = {
  "small text": SMALL,
  "small noise": noise(3000),
  "large text": new TextEncoder().encode(Array.from({ length: 800_000 }, (_, it) => it).join()),
  "large noise": noise(5_000_000),
};

function md5(content: Bytes): string {
  return createHash("md5").update(content).digest("hex");
}

/** Flips one bit of stored content, and returns its hash. */
async function damage(server: TestServer, content: Bytes, at: number): Promise<string> {
  const hash = md5(content);
  const damaged = content.slice();
  damaged[at] = (damaged[at] ?? 0) ^ 1;
  await overwriteContent(server.dataDir, hash, damaged);
  return hash;
}

/** The number of bytes received before the transfer broke, or 0 if the response was a 500. */
async function brokenDownload(client: Client, query: QueryParameters): Promise<number> {
  const response = await client.download(query);
  if (response.status === 500) {
    const { status, headers } = response;
    refused({ status, headers, text: await response.text() }, 500, "ErrInternal");
    return 0;
  }
  assert.equal(response.status, 200);
  let received = 0;
  await assert.rejects(async () => {
    for await (const chunk of response.body ?? []) received += chunk.length;
  });
  return received;
}

function damageCount(server: TestServer): Promise<number> {
  return counter(server, "damaged");
}

function repairCount(server: TestServer): Promise<number> {
  return counter(server, "repaired");
}

async function counter(server: TestServer, name: string): Promise<number> {
  const admin = await server.admin();
  const headers = { Authorization: `Bearer ${admin.token}` };
  const text = await (await fetch(`${server.origin}/metrics`, { headers })).text();
  const [, count] = new RegExp(`^strongroom_${name}_content_total (\\d+)$`, "m").exec(text) ?? [];
  return Number(count);
}

function damageLines(server: TestServer): Record<string, unknown>[] {
  return server.log.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "Damaged content");
}

const KINDS = [
  ...Object.entries(CONTENTS).map(([name, content]) => ({ name, content, inFile: false })),
  { name: "small text in a file", content: SMALL, inFile: true },
];
for (const { name, content, inFile } of KINDS) {
  Deno.test(`C 5.3 a flipped bit of ${name} is never delivered as intact content`, async (t) => {
    await using server = await TestServer.start();
    const one = await server.as(1);
    await one.upload("d", { f: content });
    if (inFile) await moveToFile(server.dataDir, md5(content));
    let found = 0;
    for (const at of [0, content.length >> 1, content.length - 1]) {
      const hash = await damage(server, content, at);
      for (const compression of [undefined, "store", "auto", "deflate"]) {
        const query = compression === undefined ? { path: "d/f" } : { path: "d", compression };
        await t.step(`byte ${at}: ${compression ?? "not in a ZIP"}`, async () => {
          const received = await brokenDownload(one, query);
          if (compression !== "deflate" && compression !== "auto") {
            assert.ok(received < content.length, String(received));
          }
          assert.equal(await damageCount(server), ++found);
          const { hash: logged, expected, found: read, level } = damageLines(server).at(-1) ?? {};
          const checksum = `CRC-32 ${crc32(content).toString(16).padStart(8, "0")}`;
          assert.deepEqual([logged, level], [hash, "error"]);
          assert.equal(expected, `${checksum} of ${content.length} bytes`);
          assert.match(String(read), /^CRC-32 [0-9a-f]{8} of \d+ bytes$/);
          assert.notEqual(read, expected);
          assert.equal(JSON.stringify(damageLines(server)).includes(server.dataDir), false);
        });
      }
    }
    assert.equal(damageLines(server).length, found);
  });
}

Deno.test("C 5.3 a ZIP breaks off at its damaged entry, among small and large ones", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const others = Object.fromEntries(
    Array.from({ length: 150 }, (_, index) => [`b${index}`, `text ${index}\n`.repeat(40)]),
  );
  await one.upload("d", { a: noise(3_000_000), ...others, c: SMALL, e: noise(200_000, 2) });
  await damage(server, SMALL, 5);
  for (const compression of ["store", "auto", "deflate"]) {
    // The first byte is sent before the damaged entry is read.
    assert.ok(await brokenDownload(one, { path: "d", compression }) > 1_000_000, compression);
  }
  assert.equal(await damageCount(server), 3);
});

Deno.test("C 9 a range of damaged content is sent, because it cannot be verified", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("", { f: SMALL });
  await damage(server, SMALL, SMALL.length - 1);
  const response = await one.download({ path: "f" }, { Range: "bytes=0-9" });
  assert.equal(response.status, 206);
  assert.deepEqual(new Uint8Array(await response.arrayBuffer()), SMALL.slice(0, 10));
  assert.equal(await damageCount(server), 0);
});

for (const { name, content, inFile } of KINDS) {
  Deno.test(`C 5.3 an upload of the same content repairs damaged ${name}`, async () => {
    await using server = await TestServer.start();
    const one = await server.as(1);
    await one.upload("", { f: content });
    if (inFile) await moveToFile(server.dataDir, md5(content));
    const hash = await damage(server, content, 7);
    assert.ok(await brokenDownload(one, { path: "f" }) < content.length);
    assert.equal(items(await one.upload("again", { f: content })).length, 1);
    const line = server.log.map((it) => JSON.parse(it)).find(({ msg }) => /^Replaced/.test(msg));
    assert.deepEqual([line?.hash, await damageCount(server), await repairCount(server)], [
      hash,
      2,
      1,
    ]);
    assert.equal(damageLines(server).at(-1)?.expected, `MD5 ${hash}`);
    assert.deepEqual(await one.bytes({ path: "f" }), content);
    await checkInvariants(server);
  });
}

Deno.test({
  name: "C 5.3 curl reports a broken transfer of damaged content",
  ignore: !await hasProgram("curl", "--version"),
  async fn() {
    await using server = await TestServer.start();
    await using directory = await TempDir.make();
    const one = await server.as(1);
    const content = noise(5_000_000);
    await one.upload("d", { f: content });
    await damage(server, content, 4_999_999);
    for (const path of ["d/f", "d"]) {
      const to = `${directory.path}/out`;
      const auth = `Authorization: Bearer ${one.token}`;
      const url = `${server.url}/resources/download?path=${path}`;
      const { code } = await run("curl", ["-sSf", "-o", to, "-H", auth, url]);
      assert.notEqual(code, 0);
      assert.ok((await Deno.stat(to)).size < content.length);
    }
  },
});

Deno.test("C 15 a scan of damaged content fails the file, and keeps no result", async () => {
  await using server = await TestServer.start();
  const one = await server.as(
    1,
    "scans.view",
    "scans.run",
    "resources.upload",
    "resources.download",
  );
  await one.upload("d", { damaged: SMALL, intact: "intact" });
  const hash = await damage(server, SMALL, 100);
  for (const attempt of [1, 2]) {
    const reply = await one.json("POST", "/scans/?wait=60", { path: "d" });
    const { data } = JSON.parse(reply.text);
    assert.deepEqual([data.status, data.files_scanned], ["completed", 1], reply.text);
    const report = await one.send("GET", `/scans/${data.id}/report`);
    assert.match(report.text, /Could not be scanned: Content damaged/);
    assert.deepEqual(
      [JSON.parse(report.text).has_errors, JSON.parse(report.text).success],
      [true, false],
    );
    assert.equal(await damageCount(server), attempt);
    const line = damageLines(server).at(-1);
    assert.deepEqual([line?.hash, line?.expected], [hash, `MD5 ${hash}`]);
    assert.match(String(line?.found), /^MD5 [0-9a-f]{32}$/);
  }
});
