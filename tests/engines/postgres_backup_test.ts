import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { databaseAddress } from "../../schemas/database_url.ts";
import type { Bucket } from "../../storage/content/objects/bucket.ts";
import { adopt } from "../../storage/upkeep/adopt/adopt.ts";
import { type CheckedRoom, kindsOf, Rooms } from "../support/checked_rooms.ts";
import { ROOT } from "../support/child_server.ts";
import { type Client, items } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const SHARED = { name: "PostgreSQL and an object store", inPostgres: true, inObjects: true };
const HOLD = `${ROOT}packaging/postgres/hold_objects`;

const rooms = new Rooms();
Deno.test.afterAll(() => rooms[Symbol.asyncDispose]());

/** Uploads and deletes large files until it is to end. */
async function work(client: Client, isOver: () => boolean): Promise<void> {
  for (let step = 0; !isOver(); step++) {
    const files = { large: noise(70_000, step), small: `${step}` };
    assert.equal((await client.upload(`d${step}`, files)).status, 200);
    if (step > 1) assert.equal((await client.remove({ path: `d${step - 2}` })).status, 200);
  }
}

/** Runs a program of PostgreSQL, or a shell, which must succeed. */
async function run(program: string, args: readonly string[], url: string): Promise<void> {
  const programs = await rooms.programs();
  const { code, stderr } = await new Deno.Command(program, {
    args: [...args],
    env: { PATH: `${programs}:${Deno.env.get("PATH")}`, STRONGROOM_DATABASE_URL: url },
  }).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
}

/** Copies all objects of a room to the bucket of another one. */
async function copyObjects(from: CheckedRoom, to: CheckedRoom): Promise<void> {
  const { prefix } = content(from).location;
  for await (const page of from.bucket.list(prefix)) {
    for (const { key, size } of page) {
      const name = key.slice(prefix.length);
      if (name === "probe") continue;
      // A server may give it up meanwhile.
      const bytes = await read(from.bucket, key, size);
      if (bytes !== undefined) await to.put(name, bytes);
    }
  }
}

async function read(bucket: Bucket, key: string, size: number) {
  const opened = await bucket.open(key, { start: 0, end: size });
  if (opened === undefined) return undefined;
  return new Uint8Array(Buffer.concat(await Array.fromAsync(opened.body)));
}

Deno.test({
  name: "C 22 and C 23 a dump and a copy of the bucket lose nothing, while servers run",
  ignore: !Rooms.areInstalled(SHARED),
  async fn() {
    await using room = await rooms.make(SHARED);
    // The names of objects in the database have the prefix, so another bucket has the same.
    await Deno.mkdir(`${room.store?.objects}/../restored`);
    const target = room.contentUrl?.replace("s3://bucket/", "s3://restored/");
    await using restored = await rooms.make(SHARED, { contentUrl: target, isEmpty: true });
    await using directory = await TempDir.make();
    const { path } = directory;
    const [url, newUrl] = [room.url ?? "", restored.url ?? ""];
    await using server = await room.serve();
    const [one, two] = [await server.as(1), await server.as(2)];
    const kept = noise(100_000, 77);
    assert.equal((await one.upload("dumped", { kept })).status, 200);
    let done = false;
    const working = work(two, () => done);
    try {
      await until(async () => (await room.rows("SELECT id FROM records")).length > 6);
      const held = run(HOLD, [
        "sh",
        "-c",
        `pg_dump --format=custom --file='${path}/it''s a dump' "$STRONGROOM_DATABASE_URL" &&
         : > ${path}/dumped && until [ -e ${path}/copied ]; do sleep 0.1; done`.replace("''", ""),
      ], url);
      await until(() => exists(`${path}/dumped`));
      // What the dump has is let go while the bucket is yet to be copied.
      assert.equal((await one.remove({ path: "dumped" })).status, 200);
      await until(async () => (await room.rows(LEAVING)).length > 2);
      await copyObjects(room, restored);
      await Deno.writeTextFile(`${path}/copied`, "");
      await held;
    } finally {
      done = true;
      await working;
    }
    // Then they are deleted as before.
    await until(async () => (await room.rows(`${LEAVING} AND deletions = 0`)).length === 0);
    assert.deepEqual((await room.check()).findings.listed, []);

    await run("pg_restore", ["--no-owner", `--dbname=${newUrl}`, `${path}/its a dump`], newUrl);
    const place = `s3://restored/${content(restored).location.prefix.replace(/\/$/, "")}`;
    await restored.rows(`UPDATE storage_state SET content_place = '${place}'`);
    const found = await restored.check({ readData: true });
    assert.deepEqual(kindsOf(found).filter((kind) => kind !== "unreferenced"), []);
    assert.ok(found.records > 3, String(found.records));
    const epochs = async (it: CheckedRoom) =>
      (await it.rows("SELECT epoch FROM event_channels")).map(({ epoch }) => epoch);
    const before = new Set(await epochs(restored));
    await assert.rejects(restored.serve(), /strongroom adopt/);
    await adopt(databaseAddress(newUrl), content(restored));
    await using again = await restored.serve();
    // Subscribers list again, as events have numbers that others have had.
    const later = await epochs(restored);
    assert.ok(before.size > 2);
    assert.deepEqual(later.filter((epoch) => before.has(epoch)), []);
    const [first, second] = [await again.as(1), await again.as(2)];
    assert.deepEqual(await first.bytes({ path: "dumped/kept" }), kept);
    for (const { path: file, is_dir } of items(await second.list({ recursive: "true" }))) {
      if (is_dir !== true) assert.ok((await second.bytes({ path: String(file) })).length > 0);
    }
  },
});

const LEAVING = "SELECT key FROM objects WHERE state = 'leaving'";

function content(room: CheckedRoom) {
  if (room.content === undefined) throw new Error("The room has no object store");
  return room.content;
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, () => false);
}

Deno.test({
  name: "C 23 hold_objects ends as its command does, and fails without the database",
  ignore: !Rooms.areInstalled(SHARED),
  async fn(t) {
    await using room = await rooms.make(SHARED);
    const held = async (args: string[], url = room.url ?? "") => {
      const env = {
        PATH: `${await rooms.programs()}:${Deno.env.get("PATH")}`,
        STRONGROOM_DATABASE_URL: url,
      };
      const { code, stdout } = await new Deno.Command(HOLD, { args, env }).output();
      return [code, new TextDecoder().decode(stdout)];
    };
    await t.step("its exit code, its words and its output", async () => {
      assert.deepEqual(await held(["sh", "-c", 'echo it\\\'s "$0"; exit 7', "a 'b'  $c"]), [
        7,
        "it's a 'b'  $c\n",
      ]);
      assert.deepEqual(await held(["true"]), [0, ""]);
    });
    await t.step("no command, no database, and a session that is lost", async () => {
      assert.equal((await held([]))[0], 2);
      assert.equal((await held(["true"], "postgres://a:b@127.0.0.1:1/none"))[0], 2);
      const end =
        `psql "$STRONGROOM_DATABASE_URL" -c "SELECT pg_terminate_backend(pid) FROM pg_locks
         WHERE locktype = 'advisory' AND classid = 83"`;
      assert.equal((await held(["sh", "-c", `${end} >&2`]))[0], 2);
    });
  },
});
