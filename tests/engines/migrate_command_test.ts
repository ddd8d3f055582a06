import * as assert from "node:assert/strict";
import { strongroom } from "../support/child_server.ts";
import { items } from "../support/client.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { noise } from "../support/random.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";

const startedPostgres = sharedPostgres();

const LARGE = noise(300_000, 4);

Deno.test({
  name:
    "C 23 strongroom migrate carries a data directory to the engines that a file names, and back",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
  async fn() {
    await using directory = await TempDir.make();
    const engine = startedPostgres();
    await using store = await S3Engine.start();
    const [from = "", to = "", back = ""] = ["from", "to", "back"]
      .map((it) => `${directory.path}/${it}`);
    const files = { small: "small", "large.bin": LARGE };
    {
      await using server = await TestServer.start({ dataDir: from });
      assert.equal((await (await server.as(7)).upload("a/b", files)).status, 200);
    }
    const settings = `${directory.path}/new.env`;
    await Deno.writeTextFile(
      settings,
      [
        "# The settings of the server",
        `export STRONGROOM_DATA_DIR="${to}"`,
        `STRONGROOM_DATABASE_URL=${await engine.createEmptyDatabase()}`,
        `STRONGROOM_CONTENT_URL='${store.contentUrl()}'`,
        `STRONGROOM_S3_ACCESS_KEY=${S3_CREDENTIALS.accessKeyId}`,
        `STRONGROOM_S3_SECRET_KEY=${S3_CREDENTIALS.secretAccessKey}`,
        "STRONGROOM_GATE=mark",
      ].join("\n"),
    );
    const there = await strongroom(["migrate", "--from", from, "--to", settings, "--json"]);
    assert.equal(there.code, 0, there.stderr);
    const { rows, contents, left_behind, findings } = JSON.parse(there.stdout);
    assert.deepEqual([rows.records, contents, findings], [4, { files: 2, bytes: 300_005 }, []]);
    assert.deepEqual(left_behind, { unfinished_uploads: 0, waiting: 0 });
    const again = await strongroom(["migrate", "--from", settings, "--to", back]);
    assert.match(
      again.stdout,
      /^Migrated 4 records with 2 files \(.*\) to ".*\/back", and verified/,
    );
    assert.deepEqual([again.code, again.stderr], [0, ""]);
    await using server = await TestServer.start({ dataDir: back });
    const user = await server.as(7);
    const paths = items(await user.list({ recursive: "true" })).map(({ path }) => path).sort();
    assert.deepEqual(paths, ["a", "a/b", "a/b/large.bin", "a/b/small"]);
    assert.deepEqual(await user.bytes({ path: "a/b/large.bin" }), LARGE);
  },
});
