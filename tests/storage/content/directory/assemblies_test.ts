import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import type { StagedBlob } from "../../../../core/blob_store.ts";
import type { OpenPart, PartContent } from "../../../../core/uploads.ts";
import { MIB } from "../../../../schemas/units.ts";
import { DirectoryBlobStore } from "../../../../storage/content/directory/directory_blob_store.ts";
import { storageFull } from "../../../../storage/disk/storage_full.ts";
import { StagedBlobFile } from "../../../../storage/content/staged_blob_file.ts";
import { SqliteResourceStore } from "../../../../storage/sqlite/sqlite_resource_store.ts";
import { noise } from "../../../support/random.ts";
import { TempDir } from "../../../support/temp_dir.ts";

const WHOLE = "f".repeat(32);
const PART_BYTES = 100_000;

/** A part that was received, with its content. */
interface Received extends PartContent {
  readonly number: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Whether the SHA-256 of a part is wanted. */
const wantsSha256 = (number: number) => number % 2 === 1;

/** A store whose parts are received as the S3 door does. */
class Room implements AsyncDisposable {
  #lastId = 0;

  private constructor(
    readonly path: string,
    readonly blobs: DirectoryBlobStore,
    readonly held: AsyncDisposableStack,
  ) {}

  static async open(path: string): Promise<Room> {
    await using held = new AsyncDisposableStack();
    const records = held.use(await SqliteResourceStore.open(`${path}/strongroom.db`));
    const blobs = held.use(await DirectoryBlobStore.open(path, { contents: records.contents }));
    held.use(blobs.parts);
    return new Room(path, blobs, held.move());
  }

  async begin(
    number: number,
    size: number,
    whole = WHOLE,
  ): Promise<{ id: string; part: OpenPart }> {
    const id = `${Date.now()}${++this.#lastId}`.padStart(32, "0");
    await this.blobs.parts.create(id, { whole, number, size });
    const part = await this.blobs.parts.open(id, 0);
    await part.beginWhole(wantsSha256(number));
    return { id, part };
  }

  async receive(
    number: number,
    bytes: Uint8Array<ArrayBuffer>,
    whole = WHOLE,
  ): Promise<Received> {
    const { id, part } = await this.begin(number, bytes.length, whole);
    const half = bytes.length >> 1;
    for (const chunk of [bytes.slice(0, half), bytes.slice(half)]) await part.append(chunk);
    const { hash, sha256 } = await part.end();
    assert.equal(hash, createHash("md5").update(bytes).digest("hex"));
    const expected = createHash("sha256").update(bytes).digest("hex");
    assert.equal(sha256, wantsSha256(number) ? expected : undefined);
    const { position } = part;
    await part.close();
    return { id, number, position, size: bytes.length, bytes };
  }

  /** A part whose content breaks off. */
  async fail(number: number, size: number): Promise<void> {
    const { id, part } = await this.begin(number, size);
    await part.append(noise(size >> 1, 99));
    await part.close();
    await this.blobs.parts.remove(id);
  }

  /** Joins parts, and compares the whole with what they had. */
  async join(parts: readonly Received[]): Promise<StagedBlob> {
    const blob = await this.blobs.parts.join(parts);
    const expected = createHash("sha256");
    for (const { bytes } of parts) expected.update(bytes);
    const sha256 = expected.digest("hex");
    assert.equal(blob.sha256, sha256);
    if (blob instanceof StagedBlobFile) {
      const bytes = await Deno.readFile(blob.path);
      assert.equal(createHash("sha256").update(bytes).digest("hex"), sha256);
    }
    assert.equal(blob.size, parts.reduce((sum, { size }) => sum + size, 0));
    return blob;
  }

  fileOf(id: string): string {
    return `${this.path}/uploads/${id}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.held.disposeAsync();
  }
}

/** The file of a blob is the one that the parts were written to. */
function assertInPlace(blob: StagedBlob, first: Received, room: Room, expected = true): void {
  assert.ok(blob instanceof StagedBlobFile);
  assert.equal(blob.path === room.fileOf(first.id), expected);
}

Deno.test("C 30 parts in one size are one file as they come, in any order, and are not joined", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  const sizes = [6 * MIB, 6 * MIB, 6 * MIB, 70_000];
  const parts = await Promise.all(
    [2, 1, 4, 3].map((number) => room.receive(number, noise(sizes[number - 1] ?? 0, number))),
  );
  const inOrder = parts.toSorted((a, b) => a.number - b.number);
  const inodes = await Promise.all(
    parts.map(async ({ id }) => (await Deno.stat(room.fileOf(id))).ino),
  );
  assert.equal(new Set(inodes).size, 1);
  await using blob = await room.join(inOrder);
  assertInPlace(blob, inOrder[0]!, room);
});

Deno.test("C 30 parts that a restart has come between are joined by their content", async () => {
  await using directory = await TempDir.make();
  const parts: Received[] = [];
  {
    await using room = await Room.open(directory.path);
    for (const number of [1, 2]) parts.push(await room.receive(number, noise(PART_BYTES, number)));
  }
  await using room = await Room.open(directory.path);
  await using same = await room.join(parts);
  assertInPlace(same, parts[0]!, room);
  const others = [...parts, await room.receive(3, noise(PART_BYTES, 3))];
  await using blob = await room.join(others);
  assertInPlace(blob, parts[0]!, room, false);
});

Deno.test("C 30 what comes later does not change what was joined", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  const one = await room.receive(1, noise(PART_BYTES, 1));
  const late = await room.begin(2, PART_BYTES);
  await using blob = await room.join([one]);
  assertInPlace(blob, one, room, false);
  await late.part.append(noise(PART_BYTES, 2));
  await late.part.close();
  await using again = await room.join([one]);
  assert.equal(again.sha256, blob.sha256);
  // Nor is there a place for it any more.
  const { position } = await room.receive(3, noise(PART_BYTES, 3));
  assert.equal(position, 0);
});

Deno.test("C 30 a second attempt at a part changes the first only when it is whole", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  const one = await room.receive(1, noise(PART_BYTES, 1));
  await room.fail(1, PART_BYTES);
  await using _blob = await room.join([one]);
  const again = await room.receive(1, noise(PART_BYTES, 2));
  await room.blobs.parts.remove(one.id);
  await using _other = await room.join([again]);
});

Deno.test("C 30 parts that are left out are not in the whole", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  const parts: Received[] = [];
  for (const number of [1, 2, 3]) {
    parts.push(await room.receive(number, noise(PART_BYTES, number)));
  }
  for (const chosen of [parts.slice(0, 2), parts.slice(1), parts]) {
    await using _blob = await room.join(chosen);
  }
});

Deno.test("C 30 a part far ahead makes no hole in a file", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  const first = await room.receive(1, noise(PART_BYTES, 1));
  const far = await room.receive(9000, noise(PART_BYTES, 2));
  assert.equal((await Deno.stat(room.fileOf(first.id))).size, PART_BYTES);
  await using _blob = await room.join([first, far]);
});

Deno.test("C 30 the upload that began first goes on with files of their own when many more begin", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  const bytes = noise(5 * MIB, 1);
  const first = await room.receive(1, bytes);
  for (let other = 0; other < 32; other++) await room.receive(1, noise(10, other), `${other}`);
  const second = await room.receive(2, bytes);
  assert.equal(second.position, 0);
  await using _blob = await room.join([first, second]);
  // When all that was put together is gone, it is as a new one.
  await room.blobs.parts.remove(first.id);
  const again = await room.receive(2, bytes);
  assert.equal(again.position, 5 * MIB);
});

/** What happens to an upload. */
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("receive"),
      number: fc.integer({ min: 1, max: 6 }),
      size: fc.constantFrom(PART_BYTES, PART_BYTES, PART_BYTES, PART_BYTES >> 1, PART_BYTES + 1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fail"),
      number: fc.integer({ min: 1, max: 6 }),
      size: fc.constant(PART_BYTES),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constantFrom("reopen", "join", "remove"),
      number: fc.integer({ min: 1, max: 6 }),
      size: fc.constant(0),
    }),
  },
);

Deno.test("C 30 joined parts have the content that was last received of each, whatever happened", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
      await using directory = await TempDir.make();
      let room = await Room.open(directory.path);
      const parts = new Map<number, Received>();
      const inOrder = () => [...parts.values()].sort((a, b) => a.number - b.number);
      let seed = 0;
      try {
        for (const { kind, number, size } of steps) {
          const former = parts.get(number);
          if (kind === "receive") {
            parts.set(number, await room.receive(number, noise(size, ++seed)));
          } else if (kind === "remove") parts.delete(number);
          else if (kind === "fail") await room.fail(number, size);
          else if (kind === "reopen") {
            await room[Symbol.asyncDispose]();
            room = await Room.open(directory.path);
          } else if (parts.size > 0) await (await room.join(inOrder()))[Symbol.asyncDispose]();
          if (former !== undefined && parts.get(number) !== former) {
            await room.blobs.parts.remove(former.id);
          }
        }
        if (parts.size > 0) await (await room.join(inOrder()))[Symbol.asyncDispose]();
      } finally {
        await room[Symbol.asyncDispose]();
      }
    }),
    { numRuns: 12 },
  );
});

Deno.test("C 30 parts that there is no room to copy are not begun to be copied", async () => {
  await using directory = await TempDir.make();
  await using room = await Room.open(directory.path);
  // The second one does not fit into the place that the first one leaves it.
  const parts = [
    await room.receive(1, noise(5 * MIB, 1)),
    await room.receive(2, noise(6 * MIB, 2)),
  ];
  let free = 11 * MIB - 1;
  room.blobs.room.require = (bytes = 0) => {
    if (bytes > free) throw storageFull();
  };
  await assert.rejects(room.join(parts), { message: storageFull().message });
  assert.deepEqual(await Array.fromAsync(Deno.readDir(`${directory.path}/tmp`)), []);
  free++;
  await using blob = await room.join(parts);
  assertInPlace(blob, parts[0]!, room, false);
});
