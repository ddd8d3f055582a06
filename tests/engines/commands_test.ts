import * as assert from "node:assert/strict";
import { strongroom } from "../support/child_server.ts";
import { md5, Rooms } from "../support/checked_rooms.ts";
import { noise } from "../support/random.ts";
import { S3_CREDENTIALS } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";

const SHARED = { name: "PostgreSQL and an object store", inPostgres: true, inObjects: true };

Deno.test("C 23 backup and restore say where to look if PostgreSQL has the records", async () => {
  await using directory = await TempDir.make();
  const env = {
    STRONGROOM_DATA_DIR: directory.path,
    STRONGROOM_DATABASE_URL: "postgres://user:password@127.0.0.1:1/none",
  };
  for (const args of [["backup", "/tmp/none"], ["restore", "/tmp/none"]]) {
    const { code, stdout, stderr } = await strongroom(args, env);
    assert.match(stderr, /STRONGROOM_DATABASE_URL is set, .* docs\/guides\/operating.md/);
    assert.deepEqual([code, stdout], [2, ""]);
  }
});

Deno.test("C 22 and C 23 check says that it cannot reach an engine", async () => {
  await using directory = await TempDir.make();
  const env = {
    STRONGROOM_DATA_DIR: directory.path,
    STRONGROOM_DATABASE_URL: "postgres://user:password@127.0.0.1:1/none",
  };
  const { code, stdout, stderr } = await strongroom(["check"], env);
  assert.match(stderr, /Cannot use the database: it cannot be reached/);
  assert.deepEqual([code, stdout], [2, ""]);
});

Deno.test({
  name: "C 22 and C 23 strongroom check reaches both engines, and needs no data directory",
  ignore: !Rooms.areInstalled(SHARED),
  async fn() {
    await using rooms = new Rooms();
    await using room = await rooms.make(SHARED);
    await using server = await room.serve();
    const large = noise(100_000);
    assert.equal((await (await server.as(1)).upload("a", { large, small: "small" })).status, 200);
    const env = {
      STRONGROOM_DATA_DIR: "/nowhere",
      STRONGROOM_DATABASE_URL: room.url ?? "",
      STRONGROOM_CONTENT_URL: room.contentUrl ?? "",
      STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
      STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
    };
    const sound = await strongroom(["check", "--read-data"], env);
    assert.deepEqual(sound, {
      code: 0,
      stdout: "Checked 3 records and 2 contents (97.7 KiB): sound\n",
      stderr: "",
    });
    await Deno.remove(await room.fileOf(md5(large)));
    const damaged = await strongroom(["check", "--json"], env);
    const { verdict, served, findings } = JSON.parse(damaged.stdout);
    assert.deepEqual([damaged.code, verdict, served], [2, "damaged", true]);
    assert.deepEqual(findings, [{
      kind: "missing",
      message: `Content ${md5(large)} is missing; it is that of "a/large" of user 1`,
      hash: md5(large),
      user_id: 1,
      path: "a/large",
      repaired: false,
    }]);
    const refused = await strongroom(["check", "--repair"], env);
    assert.match(refused.stderr, /The database "test1" is in use by 1 server, or was a moment ago/);
    assert.equal(refused.code, 2);
  },
});
