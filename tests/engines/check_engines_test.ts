import * as assert from "node:assert/strict";
import {
  type CheckedRoom,
  COMBINATIONS,
  type Engines,
  kindsOf,
  md5,
  Rooms,
} from "../support/checked_rooms.ts";
import { MIB } from "../../schemas/units.ts";
import { type Chunk, joinChunks } from "../../core/content.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { callerWith, park } from "../support/commits.ts";
import { noise } from "../support/random.ts";
import { createUpload, patchUpload } from "../support/tus.ts";

/** Contents with the same MD5. */
const [LARGE, TWIN] = MD5_COLLISION.map((start) => joinChunks([start, noise(300_000)])) as [
  Chunk,
  Chunk,
];
const SURPLUS = `00/${"0".repeat(32)}`;

const rooms = new Rooms();
Deno.test.afterAll(() => rooms[Symbol.asyncDispose]());

/** A strongroom with some files, whose server has stopped. */
async function prepared(engines: Engines): Promise<CheckedRoom> {
  const room = await rooms.make(engines);
  await using server = await room.serve();
  const [one, two] = [await server.as(1), await server.as(2)];
  assert.equal((await one.upload("a/b", { large: LARGE, small: "small" })).status, 200);
  assert.equal((await one.upload("a", { other: "other" })).status, 200);
  assert.equal((await two.upload("c", { same: "small", large: LARGE })).status, 200);
  if (!engines.inObjects) return room;
  const upload = await createUpload(one, "unfinished", 10 * MIB);
  for (const [offset, size] of [[0, 8 * MIB], [8 * MIB, MIB]] as const) {
    await patchUpload(one, upload, { offset, body: noise(size) });
  }
  for (const content of ["waits", noise(200_000, 5)]) {
    await park(server.hub, callerWith(1), content);
  }
  return room;
}

interface Damage {
  readonly name: string;
  damage(room: CheckedRoom): Promise<unknown>;
  /** What a check finds. */
  readonly found: readonly string[];
  /** What a repair reports. @default the same */
  readonly repaired?: readonly string[];
  /** What a check finds after the repair. @default what the repair has left */
  readonly left?: readonly string[];
  /** Whether only reading the content finds it. */
  readonly needsData?: boolean;
  /** Whether wrong counts of trees are what it is about. Elsewhere they depend on the engine. */
  readonly counts?: boolean;
  /** Which engines can have it. @default all */
  readonly in?: (engines: Engines) => boolean;
}

const flip = async (room: CheckedRoom) => {
  const bytes = LARGE.slice();
  bytes[77] = (bytes[77] ?? 0) ^ 1;
  await Deno.writeFile(await room.fileOf(md5(LARGE)), bytes);
};

const forge = async (room: CheckedRoom) =>
  await Deno.writeFile(await room.fileOf(md5(LARGE)), TWIN);

const DAMAGES: readonly Damage[] = [
  {
    name: "C 5.3 missing content",
    damage: async (room) => await Deno.remove(await room.fileOf(md5(LARGE))),
    found: ["missing"],
  },
  {
    name: "C 5.3 content that was cut off, in a file",
    damage: async (room) => await Deno.truncate(await room.fileOf(md5(LARGE)), 1000),
    found: ["damaged"],
    left: ["missing"],
    in: ({ inObjects }) => !inObjects,
  },
  {
    name: "C 5.3 content that was cut off, in an object",
    damage: async (room) => await Deno.truncate(await room.fileOf(md5(LARGE)), 1000),
    found: ["damaged"],
    in: ({ inObjects }) => inObjects,
  },
  {
    name: "C 5.3 a flipped bit in a file",
    damage: flip,
    found: ["damaged"],
    left: ["missing"],
    needsData: true,
    in: ({ inObjects }) => !inObjects,
  },
  {
    name: "C 5.3 a flipped bit in an object",
    damage: flip,
    found: ["damaged"],
    needsData: true,
    in: ({ inObjects }) => inObjects,
  },
  {
    name: "C 5.3 a flipped bit in small content",
    damage: (room) =>
      room.rows(
        `UPDATE contents SET bytes = ${hexOf(room, "smalm")} WHERE hash = '${md5("small")}'`,
      ),
    found: ["damaged"],
    needsData: true,
    in: ({ inObjects, inPostgres }) => inObjects || inPostgres,
  },
  {
    name: "C 17 other content with the same MD5 in a file",
    damage: forge,
    found: ["damaged"],
    left: ["missing"],
    needsData: true,
    in: ({ inObjects }) => !inObjects,
  },
  {
    name: "C 17 other content with the same MD5 in an object",
    damage: forge,
    found: ["damaged"],
    needsData: true,
    in: ({ inObjects }) => inObjects,
  },
  {
    name: "C 17 small content with another SHA-256",
    damage: (room) =>
      room.rows(
        `UPDATE contents SET sha256 = ${hexOf(room, "x".repeat(32))} WHERE hash = '${
          md5("small")
        }'`,
      ),
    found: ["damaged"],
    needsData: true,
    in: ({ inObjects, inPostgres }) => inObjects || inPostgres,
  },
  {
    name: "C 5.3 a record without a row of its content",
    damage: (room) => room.rows(`DELETE FROM contents WHERE hash = '${md5("small")}'`),
    found: ["missing"],
  },
  {
    name: "C 5.3 a record that states a wrong size",
    damage: (room) => room.rows("UPDATE records SET size = 7 WHERE path = 'a/other'"),
    found: ["facts"],
    repaired: ["facts repaired"],
  },
  {
    name: "C 5.2 a missing ancestor",
    damage: (room) => room.rows("DELETE FROM records WHERE path IN ('a', 'a/b')"),
    found: ["ancestor", "ancestor", "ancestor"],
    repaired: ["ancestor repaired", "ancestor repaired", "ancestor repaired"],
    in: ({ inPostgres }) => inPostgres,
  },
  {
    name: "C 22 a wrong count of what a tree holds",
    damage: (room) => room.rows("UPDATE usage SET bytes = bytes + 1"),
    found: ["usage", "usage"],
    repaired: ["usage repaired", "usage repaired"],
    counts: true,
  },
  {
    name: "C 5.4 content without a record",
    damage: (room) =>
      room.rows(`DELETE FROM records WHERE path IN ('a/b/large', 'c/large', 'a/other')`),
    found: ["unreferenced", "unreferenced"],
    repaired: ["unreferenced repaired", "unreferenced repaired"],
  },
  {
    name: "C 23 an object that no row names",
    damage: (room) => room.put(SURPLUS, LARGE),
    found: ["unreferenced"],
    repaired: ["unreferenced repaired"],
    in: ({ inObjects }) => inObjects,
  },
  {
    name: "C 21 a lost part of an upload",
    async damage(room) {
      const [row] = await room.rows("SELECT object FROM upload_parts WHERE object IS NOT NULL");
      await Deno.remove(`${room.store?.objects}/${row?.object}`);
    },
    found: ["upload"],
    repaired: ["upload repaired"],
    in: ({ inObjects }) => inObjects,
  },
  {
    name: "C 21 a lost row of a part",
    damage: (room) => room.rows("DELETE FROM upload_parts WHERE object IS NULL"),
    found: ["upload"],
    repaired: ["upload repaired"],
    in: ({ inObjects }) => inObjects,
  },
  {
    name: "C 20 lost content that waits for a commit",
    async damage(room) {
      await room.rows("DELETE FROM parked_contents");
      const [row] = await room.rows("SELECT key FROM objects WHERE waiting IS NOT NULL");
      await Deno.remove(`${room.store?.objects}/${row?.key}`);
    },
    found: ["upload", "upload"],
    repaired: ["upload repaired", "upload repaired"],
    in: ({ inObjects }) => inObjects,
  },
];

function hexOf({ url }: CheckedRoom, text: string): string {
  const hex = new TextEncoder().encode(text).toHex();
  return url === undefined ? `x'${hex}'` : `'\\x${hex}'`;
}

for (const engines of COMBINATIONS) {
  const ignore = !Rooms.areInstalled(engines);
  for (const damage of DAMAGES) {
    if (damage.in?.(engines) === false) continue;
    Deno.test({
      name: `C 22 and C 23 check with ${engines.name} finds ${damage.name}`,
      ignore,
      fn: () => findsAndRepairs(engines, damage),
    });
  }
}

async function findsAndRepairs(engines: Engines, it: Damage): Promise<void> {
  const { found, repaired = found, left, needsData = false, counts = false } = it;
  await using room = await prepared(engines);
  const kinds = async (options: { readData?: boolean; repair?: boolean }) =>
    kindsOf(await room.check(options)).filter((kind) => counts || !kind.startsWith("usage")).sort();
  await it.damage(room);
  assert.deepEqual(await kinds({ readData: true }), found);
  assert.deepEqual(await kinds({}), needsData ? [] : found);
  assert.deepEqual(await kinds({ readData: needsData, repair: true }), repaired);
  const after = left ?? repaired.filter((kind) => !kind.endsWith(" repaired"));
  assert.deepEqual(kindsOf(await room.check({ readData: true })), after);
  await using server = await room.serve();
  assert.equal((await (await server.as(3)).upload("", { new: "new" })).status, 200);
}

/** Renames a record and all below it, as no request can. */
async function forceRename(room: CheckedRoom, path: string, name: string): Promise<void> {
  const to = path.slice(0, path.lastIndexOf("/") + 1) + name;
  await room.rows(
    `UPDATE records SET path = replace(path, '${path}', '${to}'),
       parent = CASE path WHEN '${path}' THEN parent ELSE replace(parent, '${path}', '${to}') END,
       name = CASE path WHEN '${path}' THEN '${name}' ELSE name END
     WHERE path = '${path}' OR path LIKE '${path}/%'`,
  );
}

for (const engines of COMBINATIONS.filter(({ inObjects }) => !inObjects)) {
  Deno.test({
    name: `C 31 with ${engines.name}, a start and a check find what no request can name`,
    ignore: !Rooms.areInstalled(engines),
    async fn() {
      await using room = await prepared(engines);
      await forceRename(room, "a/other", "small ");
      await forceRename(room, "a/b/small", "large \u2003");
      await forceRename(room, "a/b", "b\u3000");
      await forceRename(room, "c", "\u00a0c");
      {
        await using server = await room.serve();
        const line = server.log.find((line) => line.includes("No request can name"));
        const { level, count, records } = JSON.parse(line ?? "{}");
        assert.deepEqual([level, count], ["warn", 4]);
        assert.match(records, /user 1: "a\/small ".*user 2: "\u00a0c"$/);
      }
      const found = await room.check({ repair: true });
      assert.deepEqual(kindsOf(found), Array.from({ length: 4 }, () => "name repaired"));
      assert.deepEqual(kindsOf(await room.check({})), []);
      await using server = await room.serve();
      assert.ok(!server.log.some((line) => line.includes("No request can name")));
      const [one, two] = [await server.as(1), await server.as(2)];
      assert.deepEqual(await one.tree(), ["a", "a/b", "a/b/large", "a/b/large (2)", "a/small"]);
      assert.deepEqual(await two.tree(), ["c", "c/large", "c/same"]);
      assert.deepEqual(await one.bytes({ path: "a/b/large" }), LARGE);
    },
  });
}
