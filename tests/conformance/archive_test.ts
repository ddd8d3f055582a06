import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Entry, Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import { type Client, entry, items, type QueryParameters, refused } from "../support/client.ts";
import { overriding } from "../support/referenced_contents.ts";
import { seed } from "../support/seed.ts";
import { TestServer, withRecords } from "../support/server.ts";
import { contentFile } from "../support/stored_content.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { noise } from "../support/random.ts";

/** Reads the entries of a ZIP with an independent library, which checks each CRC. */
async function unzip(bytes: Uint8Array<ArrayBuffer>): Promise<{ entry: Entry; text: string }[]> {
  const reader = new ZipReader(new Uint8ArrayReader(bytes), { useWebWorkers: false });
  const found: { entry: Entry; text: string }[] = [];
  for (const entry of await reader.getEntries()) {
    assert.ok(!entry.directory);
    const content = await entry.getData(new Uint8ArrayWriter(), { checkSignature: true });
    found.push({ entry, text: new TextDecoder().decode(content) });
  }
  await reader.close();
  return found;
}

/** The entries of an archive download as `name=content`. */
async function zipped(client: Client, query: QueryParameters): Promise<string[]> {
  const found = await unzip(await client.bytes(query));
  return found.map(({ entry, text }) => `${entry.filename}=${text}`);
}

Deno.test("GET /resources/download of archives", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const saved = items(await one.upload("top/d", { "b.txt": "B", "a.txt": "A" }));
  await one.upload("top/d/sub", { "c.txt": "C" });
  await one.upload("top/d-e", { "f.txt": "F" });
  await one.mkdir("top/empty");
  const idOf = (name: string) => String(saved.find((it) => it.name === name)?.id);

  await t.step("RS 4.7.4 a directory is a ZIP with relative names", async () => {
    const response = await one.download({ path: "top/d" });
    assert.equal(response.headers.get("Content-Type"), "application/zip");
    assert.equal(response.headers.get("Content-Disposition"), 'attachment; filename="d.zip"');
    await response.body?.cancel();
    assert.deepEqual(await zipped(one, { path: "top/d" }), ["a.txt=A", "b.txt=B", "sub/c.txt=C"]);
  });
  await t.step("RS 4.7.4 finds a directory by its id as well", async () => {
    const [, d] = items(await one.list({ path: "top/d" }));
    assert.deepEqual(await zipped(one, { id: String(d?.id) }), [
      "a.txt=A",
      "b.txt=B",
      "sub/c.txt=C",
    ]);
  });
  await t.step("RS 4.7.4 an empty directory is an empty ZIP", async () => {
    assert.deepEqual(await zipped(one, { path: "top/empty" }), []);
  });
  await t.step(
    "RS 4.7.5 multiple targets are one ZIP with full paths, sorted by path",
    async () => {
      const response = await one.download({ "paths[]": ["top/d-e", "top/d"] });
      assert.equal(
        response.headers.get("Content-Disposition"),
        'attachment; filename="download.zip"',
      );
      await response.body?.cancel();
      assert.deepEqual(await zipped(one, { "paths[]": ["top/d-e", "top/d"] }), [
        "top/d-e/f.txt=F",
        "top/d/a.txt=A",
        "top/d/b.txt=B",
        "top/d/sub/c.txt=C",
      ]);
    },
  );
  await t.step("RS 4.7.5 a file named twice is included once", async () => {
    const query = { "paths[]": ["top/d/a.txt", "top/d", "top"], "ids[]": [idOf("b.txt")] };
    assert.deepEqual(await zipped(one, query), [
      "top/d-e/f.txt=F",
      "top/d/a.txt=A",
      "top/d/b.txt=B",
      "top/d/sub/c.txt=C",
    ]);
  });
  await t.step(
    "C 9 a path and an id of the same record are two targets: a ZIP that contains it once",
    async () => {
      const query = { path: "top/d/a.txt", id: idOf("a.txt") };
      assert.deepEqual(await zipped(one, query), ["top/d/a.txt=A"]);
    },
  );
  await t.step("C 9 sends no length, because the archive is streamed", async () => {
    const response = await one.download({ path: "top" });
    assert.equal(response.headers.get("Content-Length"), null);
    await response.body?.cancel();
  });
  await t.step("C 9 answers HEAD without an archive and leaves nothing open", async () => {
    const head = await one.fetch("/resources/download?path=top", { method: "HEAD" });
    assert.equal(head.headers.get("Content-Type"), "application/zip");
    assert.equal(await head.text(), "");
  });
  await t.step("C 9 entries have UTF-8 names and the time of their record", async () => {
    await one.upload("ünï/日本", { "😀 file.txt": "smile" });
    const [found] = await unzip(await one.bytes({ path: "ünï" }));
    assert.equal(found?.entry.filename, "日本/😀 file.txt");
    assert.equal(found?.entry.filenameUTF8, true);
    const record = items(await one.list({ path: "ünï", recursive: "1" })).at(-1);
    const seconds = Math.floor(Date.parse(record?.updated_at ?? "") / 1000);
    assert.equal(found?.entry.lastModDate.getTime(), seconds * 1000);
  });
});

Deno.test("C 9 deflates entries that shrink", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const random = new Uint8Array(300_000);
  for (let at = 0; at < random.length; at += 65536) {
    crypto.getRandomValues(random.subarray(at, at + 65536));
  }
  const text = "a line of text that repeats itself\n".repeat(20_000);
  await one.upload("mix", { "random.bin": random, "text.txt": text, "tiny": "x", "empty": "" });
  const methods = async (compression?: string) => {
    const found = await unzip(await one.bytes({ path: "mix", compression }));
    assert.equal(found.find(({ entry }) => entry.filename === "text.txt")?.text, text);
    return found.map(({ entry }) => `${entry.filename} ${entry.compressionMethod}`);
  };
  const mixed = ["empty 0", "random.bin 0", "text.txt 8", "tiny 0"];

  await t.step("C 9 auto is the default", async () => {
    assert.deepEqual(await methods(), mixed);
    assert.deepEqual(await methods("auto"), mixed);
  });
  await t.step("C 9 store deflates nothing", async () => {
    assert.deepEqual(await methods("store"), ["empty 0", "random.bin 0", "text.txt 0", "tiny 0"]);
  });
  await t.step("C 9 deflate deflates every file that is not empty", async () => {
    assert.deepEqual(await methods("deflate"), ["empty 0", "random.bin 8", "text.txt 8", "tiny 8"]);
  });
  await t.step("C 9 deflated text is smaller than the original", async () => {
    const archive = await one.bytes({ path: "mix" });
    assert.ok(archive.length < random.length + text.length / 10);
  });
});

Deno.test("C 9 small and large files share an archive that extractors read", async (t) => {
  await using server = await TestServer.start();
  await using directory = await TempDir.make();
  const one = await server.as(1);
  const files: Record<string, Uint8Array<ArrayBuffer>> = {};
  // Around the sizes at which files are packed in batches, in path order.
  const sizes = [0, 1, 3000, 65_535, 65_536, 65_537, 100, 262_144, 700_000, 2];
  for (let index = 0; index < 200; index++) {
    const size = sizes[index % sizes.length] ?? 0;
    const line = new TextEncoder().encode(`${index} lines of text that repeat\n`);
    const text = new Uint8Array(size).map((_, at) => line[at % line.length] ?? 0);
    files[String(index).padStart(3, "0")] = index % 3 === 0 ? noise(size, index) : text;
  }
  await one.upload("d", files);
  for (const compression of ["auto", "store", "deflate"]) {
    const bytes = await one.bytes({ path: "d", compression });
    const path = `${directory.path}/${compression}.zip`;
    await Deno.writeFile(path, bytes);
    await t.step(`zip.js: ${compression}`, async () => {
      const entries = await new ZipReader(new Uint8ArrayReader(bytes)).getEntries();
      assert.deepEqual(entries.map(({ filename }) => filename), Object.keys(files).sort());
      for (const entry of entries) {
        assert.ok(!entry.directory);
        const content = await entry.getData(new Uint8ArrayWriter(), { checkSignature: true });
        assert.deepEqual(content, files[entry.filename], entry.filename);
      }
    });
    const extractors = [
      ["unzip", "-tq"],
      ["python3", "-m", "zipfile", "-t"],
      ["7z", "t"],
      ["bsdtar", "-tf"],
    ] as const;
    for (const [program, ...args] of extractors) {
      const ignore = !await hasProgram(program, program === "7z" ? "i" : "--help");
      await t.step({
        name: `${program}: ${compression}`,
        ignore,
        async fn() {
          const { code, stdout, stderr } = await run(program, [...args, path]);
          assert.equal(code, 0, stdout + stderr);
        },
      });
    }
  }
});

Deno.test("C 9 an archive of many small files stops when the client disconnects", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const names = Array.from({ length: 20_000 }, (_, index) => `many/${index}`);
  // More than the buffers of a connection hold.
  const content = "text that shrinks little: " + crypto.randomUUID().repeat(300);
  await one.upload("seeds", { s: content });
  await seed(server.tree.records, ["many/", ...names.map((path) => ({ path, content }))]);
  for (const compression of ["store", "deflate"]) {
    const response = await one.download({ path: "many", compression });
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
  }
  // It says whether all requests have ended by themselves.
  assert.equal(await server.server.stop(), true);
  const left = server.log.filter((line) => line.includes('"complete":false'));
  assert.equal(left.length, 2, left.join("\n"));
});

Deno.test("RS 4.7.5 archives with several owners", async (t) => {
  await using server = await TestServer.start();
  const admin = await server.admin(9);
  const one = await server.as(1);
  const two = await server.as(2);
  const [ones] = items(await one.upload("d", { same: "one" }));
  const [twos, second] = items(await two.upload("d", { same: "two", second: "2" }));
  await admin.upload("d", { same: "nine" });
  assert.ok(ones && twos && second);
  const directoryOf = async (client: Client) =>
    String(items(await client.list({ path: "d" }))[0]?.id);

  await t.step("RS 1.4 a directory found by path belongs to one owner", async () => {
    assert.deepEqual(await zipped(admin, { path: "d" }), ["same=nine"]);
    assert.deepEqual(await zipped(admin, { id: await directoryOf(two) }), ["same=two", "second=2"]);
  });
  await t.step("RS 4.7.5 refuses a record found by id if another target has its path", async () => {
    const queries: QueryParameters[] = [
      { path: "d/same", id: String(twos.id) },
      { "ids[]": [String(ones.id), String(twos.id)] },
      { "ids[]": [await directoryOf(one), await directoryOf(two)] },
      { path: "d", id: await directoryOf(two) },
      // A file in the directory has the path of the record named by id.
      { path: "d", id: String(twos.id) },
    ];
    for (const query of queries) {
      const response = await admin.download(query);
      const { status, headers } = response;
      const text = await response.text();
      refused({ status, headers, text }, 400, "ErrResourcesSharedPath");
    }
  });
  await t.step("RS 4.7.5 refuses two directories with one path, even if empty", async () => {
    const empty = [entry(await one.mkdir("empty")), entry(await two.mkdir("empty"))];
    const response = await admin.download({ "ids[]": empty.map(({ id }) => String(id)) });
    const { status, headers } = response;
    refused({ status, headers, text: await response.text() }, 400, "ErrResourcesSharedPath");
  });
  await t.step("RS 4.7.5 refuses a file with the path of another owner's directory", async () => {
    const three = await server.as(3);
    await two.upload("za", { b: "a file", other: "x" });
    await three.upload("za/b", { c: "in a directory" });
    await three.mkdir("zb/b");
    await two.upload("zb", { b: "a file" });
    const idOf = async (client: Client, path: string) =>
      String(items(await client.list({ path })).find((it) => it.path === path)?.id);
    const queries: QueryParameters[] = [
      { "ids[]": [await idOf(two, "za"), await idOf(three, "za/b")] },
      { "ids[]": [await idOf(two, "zb"), await idOf(three, "zb/b")] },
      { "ids[]": [await idOf(two, "za"), await idOf(three, "za")] },
    ];
    for (const query of queries) {
      const { status, headers, text } = await admin.send("GET", "/resources/download", { query });
      refused({ status, headers, text }, 400, "ErrResourcesSharedPath");
    }
  });
  await t.step("RS 4.7.5 accepts files of different owners with different paths", async () => {
    assert.deepEqual(await zipped(admin, { path: "d/same", id: String(second.id) }), [
      "d/same=nine",
      "d/second=2",
    ]);
  });
  await t.step(
    "RS 4.7.5 of two records found by path, keeps the caller's own, else the latest",
    async () => {
      // `p` is found as the directory of user 3, `p/q` as that of user 4; both hold files.
      await seed(server.tree.records, [
        { path: "p/", userId: 3, updatedAt: 9000 },
        { path: "p/q/", userId: 3, updatedAt: 1 },
        { path: "p/q/f", userId: 3, updatedAt: 500, content: "one" },
        { path: "p/q/g", userId: 3, updatedAt: 700, content: "one" },
        { path: "p/", userId: 4, updatedAt: 1 },
        { path: "p/q/", userId: 4, updatedAt: 9000 },
        { path: "p/q/f", userId: 4, updatedAt: 600, content: "two" },
        { path: "p/q/g", userId: 4, updatedAt: 600, content: "two" },
      ]);
      for (const paths of [["p", "p/q"], ["p/q", "p"]]) {
        assert.deepEqual(await zipped(admin, { "paths[]": paths }), ["p/q/f=two", "p/q/g=one"]);
        const third = await server.admin(3);
        assert.deepEqual(await zipped(third, { "paths[]": paths }), ["p/q/f=one", "p/q/g=one"]);
      }
    },
  );
});

Deno.test("C 9 archives more files than fit in one page", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("seeds", { s: "seed" });
  const names = Array.from(
    { length: 1203 },
    (_, index) => `many/${String(index).padStart(4, "0")}`,
  );
  await seed(server.tree.records, [
    "many/",
    ...names.map((path) => ({ path, content: "seed" })),
  ]);
  assert.deepEqual(
    await zipped(one, { path: "many" }),
    names.map((path) => `${path.slice(5)}=seed`),
  );
});

Deno.test("C 9 an archive looks for content in files only, as it has seen the rest", async () => {
  const unchecked: string[] = [];
  await using server = await TestServer.start(withRecords((records) => ({
    async collectFiles(roots) {
      const files = await records.collectFiles(roots);
      return overriding(files, {
        async *uncheckedPages() {
          for await (const page of files.uncheckedPages()) {
            unchecked.push(...page.map(({ path }) => path));
            yield page;
          }
        },
      });
    },
  })));
  const one = await server.as(1);
  await one.upload("d", { empty: "", large: noise(100_000), small: noise(60_000) });
  const response = await one.download({ path: "d" });
  assert.equal(response.status, 200);
  await response.bytes();
  assert.deepEqual(unchecked, ["d/large"]);
  await seed(server.tree.records, [{ path: "d/lost", content: "never stored" }]);
  assert.equal((await one.download({ path: "d" })).status, 500);
  assert.ok(unchecked.includes("d/lost"));
});

Deno.test("C 9 every archive releases its collected files, whether refused or not", async () => {
  let open = 0;
  let collected = 0;
  await using server = await TestServer.start(withRecords((records) => ({
    async collectFiles(roots) {
      const files = await records.collectFiles(roots);
      open++;
      collected++;
      return overriding(files, {
        async [Symbol.asyncDispose]() {
          open--;
          await files[Symbol.asyncDispose]();
        },
      });
    },
  })));
  const one = await server.as(1);
  await one.upload("d", { f: "content" });
  assert.deepEqual(await zipped(one, { path: "d" }), ["f=content"]);
  assert.equal(
    (await one.send("HEAD", "/resources/download", { query: { path: "d" } })).status,
    200,
  );
  const missing = Array.from({ length: 20 }, (_, index) => `never stored ${index}`);
  await seed(server.tree.records, missing.map((content) => ({ path: `d/${content}`, content })));
  collected = 0;
  assert.equal(
    (await one.send("GET", "/resources/download", { query: { path: "d" } })).status,
    500,
  );
  assert.equal(open, 0);
  // One retry, which misses the same content.
  assert.equal(collected, 2);
});

Deno.test("RS 4.7.4 the archive of a directory has its name, by path or by id", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const { id } = entry(await one.mkdir("some/directory"));
  for (const query of [{ path: "some/directory" }, { id: String(id) }]) {
    const response = await one.download(query);
    assert.match(response.headers.get("Content-Disposition") ?? "", /filename="directory\.zip"/);
    await response.body?.cancel();
  }
  await one.upload("some", { a: "a", b: "b" });
  assert.deepEqual(await zipped(one, { path: ["some/a", "some/b"] }), ["some/a=a", "some/b=b"]);
});

Deno.test("C 9 HEAD of a streamed response has no length", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("d", { f: "content" });
  for (const path of ["/resources/download?path=d", "/events/"]) {
    const response = await one.fetch(path, { method: "HEAD" });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("Content-Length"), null, path);
  }
  const file = await one.fetch("/resources/download?path=d/f", { method: "HEAD" });
  assert.equal(file.headers.get("Content-Length"), "7");
});

Deno.test("RS 4.7.6 a failing archive", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const large = new Uint8Array(40_000_000);
  for (let at = 0; at < large.length; at += 65536) {
    crypto.getRandomValues(large.subarray(at, at + 65536));
  }
  // Too large to be packed ahead of the first one.
  const lastContent = "last".repeat(50_000);
  await one.upload("d", { "1-large": large, "2-last": lastContent });
  const blob = (hash: string) => contentFile(server.dataDir, hash);
  const last = createHash("md5").update(lastContent).digest("hex");

  await t.step(
    "RS 4.7.6 and C 9 sends the first byte before the last content is read",
    async () => {
      const response = await one.download({ path: "d" });
      const reader = response.body?.getReader();
      assert.equal((await reader?.read())?.done, false);
      await Deno.remove(await blob(last));
      await assert.rejects(async () => {
        while (!(await reader?.read())?.done);
      });
    },
  );
  await t.step("RS 4.7.6 is a 500 if content is missing from the start", async () => {
    const response = await one.download({ path: "d" });
    const { status, headers } = response;
    const message = refused({ status, headers, text: await response.text() }, 500, "ErrInternal");
    assert.equal(message, 'Cannot download "d/2-last": its content is missing from storage');
    assert.ok(server.log.some((line) => line.includes("d/2-last")));
  });
  await t.step("C 9 is a 500 if content does not have the size of its record", async () => {
    await Deno.mkdir((await blob(last)).slice(0, -33), { recursive: true });
    await Deno.writeTextFile(await blob(last), "smaller or larger");
    const response = await one.download({ path: "d" });
    const { status, headers } = response;
    refused({ status, headers, text: await response.text() }, 500, "ErrInternal");
  });
  await t.step("C 9 stops when the client disconnects", async () => {
    await Deno.writeTextFile(await blob(last), lastContent);
    const before = server.log.length;
    for (const compression of ["store", "deflate"]) {
      const response = await one.download({ path: "d", compression });
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    }
    assert.equal(await server.server.stop(), true);
    const left = server.log.slice(before).filter((line) => line.includes('"complete":false'));
    assert.equal(left.length, 2, left.join("\n"));
  });
});
