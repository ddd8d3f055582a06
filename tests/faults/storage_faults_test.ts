import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { removeUnreferenced } from "../../core/tree/sweeper.ts";
import { auditLog } from "../../storage/upkeep/audit/audit_log.ts";
import { items, refused } from "../support/client.ts";
import { noise, seededRandom } from "../support/random.ts";
import { checkInvariants } from "../support/invariants.ts";
import { TestServer, withRecords } from "../support/server.ts";
import { smallDisk } from "../support/small_disk.ts";
import { TempDir } from "../support/temp_dir.ts";

/** Large enough for a file. */
const CONTENT = "the content of the upload that fails\n".repeat(3000);
const HASH = createHash("md5").update(CONTENT).digest("hex");
const FAN = [HASH.slice(0, 2), HASH.slice(2, 4)] as const;

/** Checks that an upload fails cleanly while a real fault exists, and succeeds once it is removed. */
async function checkUploadFailure(
  addFault: (dataDir: string) => Promise<void>,
  removeFault: (dataDir: string) => Promise<void>,
): Promise<void> {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("", { before: "before" });
  await addFault(server.dataDir);
  const message = refused(await one.upload("d", { f: CONTENT, g: "g" }), 500, "ErrInternal");
  assert.equal(message.includes(server.dataDir), false);
  await removeFault(server.dataDir);
  // The failed upload left no record and no content, and the next attempt succeeds.
  assert.deepEqual((await checkInvariants(server)).map(({ path }) => path), ["before"]);
  assert.equal(items(await one.upload("d", { f: CONTENT, g: "g" })).length, 2);
  await checkInvariants(server);
}

Deno.test("C 5.5 an upload that fails at any step leaves nothing behind", async (t) => {
  await t.step("the temporary file cannot be created", async () => {
    await checkUploadFailure(
      (dir) => Deno.remove(`${dir}/tmp`),
      (dir) => Deno.mkdir(`${dir}/tmp`),
    );
  });
  await t.step("the first directory cannot be created", async () => {
    await checkUploadFailure(
      (dir) => Deno.writeTextFile(`${dir}/blobs/${FAN[0]}`, "in the way"),
      (dir) => Deno.remove(`${dir}/blobs/${FAN[0]}`),
    );
  });
  await t.step("the second directory cannot be created", async () => {
    await checkUploadFailure(
      async (dir) => {
        await Deno.mkdir(`${dir}/blobs/${FAN[0]}`);
        await Deno.writeTextFile(`${dir}/blobs/${FAN.join("/")}`, "in the way");
      },
      (dir) => Deno.remove(`${dir}/blobs/${FAN[0]}`, { recursive: true }),
    );
  });
  await t.step("the stored content with that hash cannot be read", async () => {
    await checkUploadFailure(
      (dir) => Deno.mkdir(`${dir}/blobs/${FAN.join("/")}/${HASH}`, { recursive: true }),
      (dir) => Deno.remove(`${dir}/blobs/${FAN[0]}`, { recursive: true }),
    );
  });
});

Deno.test("C 5.5 an upload that fails after publishing its content removes it", async (t) => {
  for (const step of ["insert", "beforeCommit"] as const) {
    await t.step(`at ${step}`, async () => {
      let failing = true;
      await using server = await TestServer.start(withRecords((records) => ({
        write: (work, options) =>
          records.write((transaction) => {
            if (!failing) return work(transaction);
            return work({
              ...transaction,
              insert: step === "insert"
                ? () => Promise.reject(new Error("failing"))
                : transaction.insert,
              beforeCommit(action) {
                transaction.beforeCommit(action);
                if (step === "beforeCommit") {
                  transaction.beforeCommit(() => Promise.reject(new Error("failing")));
                }
              },
            });
          }, options),
      })));
      const one = await server.as(1);
      await using events = await one.events();
      refused(await one.upload("d", { f: CONTENT }), 500, "ErrInternal");
      assert.deepEqual(await checkInvariants(server), []);
      failing = false;
      await one.upload("", { after: "x" });
      assert.deepEqual(await events.take(1), ["added after"]);
    });
  }
});

Deno.test("C 5.5 an operation that fails at commit leaves no trace", async (t) => {
  let failing = false;
  await using server = await TestServer.start(withRecords((records) => ({
    write: (work, options) =>
      records.write((transaction) => {
        if (failing) transaction.beforeCommit(() => Promise.reject(new Error("failing")));
        return work(transaction);
      }, options),
  })));
  const one = await server.as(1);
  await one.upload("s/x", { f: "s/x/f", g: "shared" });
  await one.upload("t/x", { f: "t/x/f", h: "shared" });
  await using events = await one.events();
  const before = await checkInvariants(server);
  const operations = {
    move: () => one.move({ source: "s/x", destination: "t", force: true }),
    "move of multiple sources": () => one.move({ sources: ["s/x/f", "t/x/h"], destination: "new" }),
    copy: () => one.copy({ source: "s/x", destination: "t/x", force: true }),
    delete: () => one.remove({ path: "s" }),
    mkdir: () => one.mkdir("new/directory"),
  };
  for (const [name, operation] of Object.entries(operations)) {
    await t.step(name, async () => {
      failing = true;
      refused(await operation(), 500, "ErrInternal");
      failing = false;
      assert.deepEqual(await checkInvariants(server), before);
    });
  }
  await one.mkdir("last");
  assert.deepEqual(await events.take(1), ["added last"]);
});

Deno.test("C 5.4 content that cannot be removed is removed at the next start", async () => {
  await using directory = await TempDir.make();
  {
    await using server = await TestServer.start({
      dataDir: directory.path,
      settings: { history: 0 },
      wrap: (tree) => {
        tree.blobs.remove = () => Promise.reject(new Error("a disk hiccup"));
        return tree;
      },
    });
    const one = await server.as(1);
    await one.upload("", { f: CONTENT });
    // The record is deleted, which is all that the reply reports.
    assert.equal(items(await one.remove({ path: "f" })).length, 1);
    assert.deepEqual(await server.storedHashes(), [HASH]);
    assert.ok(server.log.some((line) => line.includes("a disk hiccup")));
  }
  await using server = await TestServer.start({
    dataDir: directory.path,
    settings: { history: 0 },
  });
  assert.deepEqual(await server.storedHashes(), []);
});

Deno.test("C 5.3 damaged content is not served, and the next upload repairs it", async (t) => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("d", { f: CONTENT });
  const blob = `${server.dataDir}/blobs/${FAN.join("/")}/${HASH}`;
  const get = (path: string) => one.send("GET", "/resources/download", { query: { path } });

  await t.step("content of the wrong size is a 500, alone and in a ZIP", async () => {
    for (const damaged of [CONTENT.slice(1), `${CONTENT} and more`]) {
      await Deno.writeTextFile(blob, damaged);
      for (const path of ["d/f", "d"]) refused(await get(path), 500, "ErrInternal");
    }
  });
  await t.step("the next upload of the content replaces it", async () => {
    await Deno.writeTextFile(blob, CONTENT.toUpperCase());
    assert.equal((await one.upload("d", { again: CONTENT })).status, 200);
    assert.equal((await get("d/f")).text, CONTENT);
    await checkInvariants(server);
  });
  await t.step("unreadable content fails one request only", async () => {
    await Deno.remove(blob);
    await Deno.mkdir(blob);
    const reader = await server.tree.blobs.open(HASH, { start: 0, end: CONTENT.length });
    // The read-ahead fails before its result is requested.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await one.list();
    await assert.rejects(async () => await reader?.next());
  });
});

Deno.test("C 12 a failed removal waits for the other removals", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const names = Array.from({ length: 100 }, (_, index) => `f${index}`);
  const files = Object.fromEntries(
    names.map((name) => [name, `content of ${name}`.padEnd(70_000)]),
  );
  await one.upload("", { ...files, stuck: CONTENT });
  const blob = `${server.dataDir}/blobs/${FAN.join("/")}/${HASH}`;
  await Deno.remove(blob);
  await Deno.mkdir(`${blob}/in the way`, { recursive: true });
  const others = (await server.storedHashes()).filter((name) =>
    /^[0-9a-f]{32}$/.test(name) && name !== HASH
  );
  assert.equal(others.length, 100);
  const { records, blobs } = server.tree;
  await assert.rejects(records.write((it) => blobs.remove([HASH, ...others], it)));
  const left = await Promise.all(others.map((hash) => server.tree.blobs.sizeOf(hash)));
  assert.deepEqual(left.filter((size) => size !== undefined), []);
  await Deno.remove(blob, { recursive: true });
});

Deno.test("C 5.3 content is not removed for a deletion that does not commit", async () => {
  await using server = await TestServer.start();
  const { records } = server.tree;
  const one = await server.as(1);
  await one.upload("", { f: CONTENT });
  const scope = { userId: 1, everyone: false };
  const outcomes = await Promise.allSettled([
    records.write(async (transaction) => {
      const found = await transaction.findByPath(scope, ["f"]);
      await transaction.deleteSubtrees([...found.values()]);
      transaction.beforeCommit(() => Promise.reject(new Error("failing")));
    }),
    // Queued while the deletion runs, and would be committed with it.
    removeUnreferenced(server.tree, [HASH]),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status), ["rejected", "fulfilled"]);
  assert.deepEqual((await checkInvariants(server)).map(({ path }) => path), ["f"]);
});

const disk = await smallDisk(6);
await disk?.[Symbol.asyncDispose]();

Deno.test({
  name: "C 2 a full disk is reported as ErrInternal, and the request leaves nothing behind",
  ignore: disk === undefined,
  async fn() {
    await using disk = await smallDisk(16);
    assert.ok(disk);
    await using audit = auditLog("file", {
      dataDir: disk.path,
      maxBytes: 0,
      // Its disk is full, too.
      onFailure() {},
      writeElsewhere() {},
    });
    await using server = await TestServer.start({
      dataDir: disk.path,
      diskReserveMB: 1,
      audit,
      // It would keep deleted content, and give it up at any moment.
      settings: { history: 0 },
    });
    const one = await server.as(1);
    assert.equal(items(await one.upload("", { small: "small" })).length, 1);
    const message = refused(
      await one.upload("d", { large: noise(20_000_000) }),
      500,
      "ErrInternal",
    );
    assert.match(message, /storage is full/);
    assert.deepEqual((await checkInvariants(server)).map(({ path }) => path), ["small"]);
    // Existing files can be read and deleted, which frees space.
    let stored = 0;
    while ((await one.upload(`f${stored}`, { n: noise(300_000, stored + 1) })).status === 200) {
      stored++;
    }
    assert.ok(stored > 5, String(stored));
    assert.equal((await one.bytes({ path: "small" })).length, 5);
    await one.remove({ "paths[]": await one.paths() });
    assert.deepEqual(await checkInvariants(server), []);
    assert.equal(items(await one.upload("", { again: noise(2_000_000) })).length, 1);
    // Ever smaller files, until both content and records run out of space.
    let refusals = 0;
    for (let index = 0; refusals < 12 && index < 400; index++) {
      const size = refusals === 0 ? 300_000 : 1000 + index;
      const name = `n${"x".repeat(200)}`;
      const reply = await one.upload(`g${index}`, { [name]: noise(size, index + 1) });
      if (reply.status === 200) continue;
      assert.match(refused(reply, 500, "ErrInternal"), /storage is full/);
      refusals++;
    }
    assert.equal(refusals, 12);
    await checkInvariants(server);
    assert.equal((await one.bytes({ path: "again" })).length, 2_000_000);
  },
});

Deno.test("C 12 interleaved uploads and deletes of the same content never lose it", async () => {
  await using server = await TestServer.start();
  const clients = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((userId) => server.as(userId)));
  const contents = ["shared one", "shared two", noise(300_000)];
  await Promise.all(clients.map(async (client, user) => {
    for (let round = 0; round < 25; round++) {
      const content = contents[(round + user) % 3] ?? "";
      const path = `f${round % 4}`;
      const uploaded = await client.upload("", { [path]: content });
      assert.equal(uploaded.status, 200, uploaded.text);
      const bytes = await client.bytes({ path });
      const expected = typeof content === "string" ? new TextEncoder().encode(content) : content;
      assert.deepEqual(bytes, expected);
      const removed = await client.remove({ path });
      assert.equal(removed.status, 200, removed.text);
    }
  }));
  assert.deepEqual(await checkInvariants(server), []);
});

Deno.test("RS 4.4.4 a path that is repeatedly overwritten is always available for download", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  await one.upload("d", { t: "first" });
  let writing = true;
  const writer = (async () => {
    for (let round = 0; round < 150; round++) {
      await one.upload("n", { t: `content ${round}` });
      const { status } = await one.move({ source: "n/t", destination: "d", force: true });
      assert.equal(status, 200);
    }
    writing = false;
  })();
  const statuses = new Set<number>();
  const readers = ["d/t", "d", "d/t"].map(async (path) => {
    while (writing) {
      statuses.add((await one.send("GET", "/resources/download", { query: { path } })).status);
    }
  });
  await Promise.all([writer, ...readers]);
  assert.deepEqual([...statuses], [200]);
});

Deno.test("C 5 sixteen clients on one tree keep it consistent and see no 500", async () => {
  await using server = await TestServer.start();
  const one = await server.as(1);
  const statuses = new Map<number, number>();
  await Promise.all(Array.from({ length: 16 }, async (_, worker) => {
    const random = seededRandom(worker + 1);
    const path = () => Array.from({ length: 1 + random(3) }, () => "abc"[random(3)]).join("/");
    for (let step = 0; step < 40; step++) {
      const reply = await [
        () => one.upload(path(), { [String(random(4))]: `content ${random(5)}` }),
        () => one.mkdir(path()),
        () => one.remove({ path: path() }),
        () => one.list({ path: path(), recursive: "1" }),
        () => one.upload(path(), { abc: "x", [String(random(4))]: "y" }),
        () => one.move({ source: path(), destination: path(), force: random(2) === 0 }),
        () => one.copy({ source: path(), destination: path(), force: random(2) === 0 }),
        () => one.move({ sources: [path(), path()], destination: path(), force: true }),
        () => one.copy({ sources: [path(), path()], destination: path(), force: true }),
        () => one.send("GET", "/resources/download", { query: { path: path() } }),
      ][random(10)]?.();
      statuses.set(reply?.status ?? 0, (statuses.get(reply?.status ?? 0) ?? 0) + 1);
    }
  }));
  // A move into itself is 400; a lost race is 404 or 409.
  assert.deepEqual([...statuses.keys()].filter((it) => ![200, 400, 404, 409].includes(it)), []);
  assert.ok((statuses.get(200) ?? 0) > 100);
  await checkInvariants(server);
});
