import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { DamageLog } from "../../../core/damage.ts";
import { Log } from "../../../core/log.ts";
import { Scrub } from "../../../core/upkeep/scrub.ts";
import { Storage } from "../../../storage/stores/storage.ts";
import { publish } from "../../conformance/blob_store_suite.ts";
import {
  blobFile,
  moveToFile,
  overwriteContent,
  storedContent,
} from "../../support/stored_content.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

/** Stores files with one content each, and returns their hashes in order. */
async function fill(storage: Storage, contents: readonly string[]): Promise<string[]> {
  const { records, blobs } = storage;
  const hashes: string[] = [];
  for (const [index, text] of contents.entries()) {
    const staged = await blobs.stage((async function* () {
      yield await Promise.resolve(new TextEncoder().encode(text));
    })());
    await publish(storage, [staged]);
    hashes.push(staged.hash);
    const { hash, size, crc32 } = staged;
    const facts = { hash, size, crc32, isDir: false, createdAt: 1, updatedAt: 1 };
    await records.write((it) => it.insert([{ userId: 1, path: `f${index}`, ...facts }]));
  }
  return hashes.sort();
}

/** A scrub whose reads are recorded. */
function scrubOf(storage: Storage, periodMs: number, onRead: (hash: string) => void = () => {}) {
  const lines: string[] = [];
  const log = new Log({ level: "debug", format: "json", write: (line) => lines.push(line) });
  const damage = new DamageLog(log);
  const { blobs, records: { upkeep: store } } = storage;
  const scrub = new Scrub({
    store,
    damage,
    log,
    periodMs,
    blobs: {
      open(hash, range) {
        onRead(hash);
        return blobs.open(hash, range);
      },
      sizeOf: (hash) => blobs.sizeOf(hash),
    },
  });
  return { scrub, damage, lines };
}

const TEXTS = Array.from({ length: 40 }, (_, index) => `content ${index}`.repeat(50));

Deno.test("C 22 a scrub reads all content once in a period, and then again", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path, { reserveMB: 0 });
  const hashes = await fill(storage, TEXTS);
  const read: string[] = [];
  const { scrub, damage } = scrubOf(storage, 300, (hash) => read.push(hash));
  await using _scrub = scrub;
  await until(() => read.length >= 100);
  assert.deepEqual(read.slice(0, 80), [...hashes, ...hashes]);
  assert.equal(damage.count, 0);
});

Deno.test("C 22 a scrub reports damaged, shortened and missing content", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path, { reserveMB: 0 });
  const hashes = await fill(storage, TEXTS);
  const [flipped = "", shortened = "", longer = "", missing = "", removed = ""] = hashes;
  const { records } = storage;
  for (const hash of [shortened, longer, missing, removed]) {
    await moveToFile(directory.path, hash);
  }
  const bytes = await storedContent(directory.path, flipped);
  bytes[3] = (bytes[3] ?? 0) ^ 1;
  await overwriteContent(directory.path, flipped, bytes);
  await Deno.truncate(blobFile(directory.path, shortened), 5);
  await Deno.writeTextFile(blobFile(directory.path, longer), "more", { append: true });
  await Deno.remove(blobFile(directory.path, missing));
  let read = 0;
  const { scrub, damage, lines } = scrubOf(storage, 200, (hash) => {
    read++;
    if (hash !== removed) return;
    // Removed by a request, together with its record.
    Deno.removeSync(blobFile(directory.path, hash));
  });
  const gone = await records.upkeep.filesOf([removed]);
  const { findByPath } = records;
  const path = gone.get(removed)?.path ?? "";
  await records.write(async (it) => {
    const found = await findByPath.call(records, { userId: 1, everyone: false }, [path]);
    return it.deleteSubtrees([...found.values()]);
  });
  await until(() => read >= 40);
  await scrub[Symbol.asyncDispose]();
  const reported = lines.map((line) => JSON.parse(line)).filter(({ msg }) =>
    msg === "Damaged content"
  );
  assert.deepEqual(
    reported.slice(0, 4).map(({ hash, found }) => [hash, found.replace(/ [0-9a-f]{8} /, " … ")]),
    [
      [flipped, `CRC-32 … of ${bytes.length} bytes`],
      [shortened, `Stored content ends ${bytes.length - 5} bytes too early`],
      [longer, `${bytes.length + 4} bytes`],
      [missing, "no content"],
    ],
  );
  assert.equal(damage.count, reported.length);
});

Deno.test("C 22 a scrub goes on after a restart where it stopped", async () => {
  await using directory = await TempDir.make();
  let hashes: string[] = [];
  const read: string[] = [];
  const periodMs = 10_000;
  {
    await using storage = await Storage.open(directory.path, { reserveMB: 0 });
    hashes = await fill(storage, TEXTS);
    const { scrub } = scrubOf(storage, periodMs, (hash) => read.push(hash));
    await until(() => read.length >= 3);
    await scrub[Symbol.asyncDispose]();
  }
  const first = read.length;
  assert.ok(first < hashes.length, String(first));
  await using storage = await Storage.open(directory.path, { reserveMB: 0 });
  const { scrub } = scrubOf(storage, periodMs, (hash) => read.push(hash));
  await until(() => read.length >= first + 3);
  await scrub[Symbol.asyncDispose]();
  // The read that the stop has cut off is repeated.
  const distinct = [...new Set(read)];
  assert.deepEqual(distinct, hashes.slice(0, distinct.length));
  assert.ok(read.length <= distinct.length + 1);
});

Deno.test("C 22 a scrub goes on after a failure, and 0 turns it off", async () => {
  await using directory = await TempDir.make();
  await using storage = await Storage.open(directory.path, { reserveMB: 0 });
  await fill(storage, ["one"]);
  const read: string[] = [];
  const { scrub } = scrubOf(storage, 0, (hash) => read.push(hash));
  await new Promise((resolve) => setTimeout(resolve, 50));
  await scrub[Symbol.asyncDispose]();
  assert.deepEqual(read, []);
  const failing = scrubOf(storage, 50, () => {
    throw new Error("the disk is on fire");
  });
  await until(() => failing.damage.count >= 2);
  await failing.scrub[Symbol.asyncDispose]();
  assert.match(failing.lines.join("\n"), new RegExp(md5("one")));
});

function md5(text: string): string {
  return createHash("md5").update(text).digest("hex");
}
