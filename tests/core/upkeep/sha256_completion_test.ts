import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { noise } from "../../support/random.ts";
import { TestServer } from "../../support/server.ts";
import { overwriteContent } from "../../support/stored_content.ts";
import { openDatabase } from "../../support/test_database.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const digest = (algorithm: string, bytes: Uint8Array) =>
  createHash(algorithm).update(bytes).digest("hex");

/** The SHA-256 that the database has of each content, by MD5; undefined for none. */
async function knownIn(dataDir: string): Promise<Map<string, string | undefined>> {
  await using database = await openDatabase(dataDir);
  const rows = await database.all("SELECT hash, sha256 FROM contents");
  return new Map(rows.map(({ hash, sha256 }) => [
    String(hash),
    sha256 instanceof Uint8Array ? sha256.toHex() : undefined,
  ]));
}

Deno.test("C 17 content from before SHA-256 was kept gets it after a start, unless it is damaged", async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const contents = Array.from({ length: 450 }, (_, index) => noise(index, index));
  contents.push(noise(70_000, 1000), noise(3_000_000, 1001));
  const damaged = noise(70_000, 1000);
  {
    await using server = await TestServer.start({ dataDir });
    const files = contents.map((content, index) => [`f${index}`, content] as const);
    assert.equal((await (await server.as(1)).upload("", Object.fromEntries(files))).status, 200);
  }
  await overwriteContent(dataDir, digest("md5", damaged), damaged.map((byte) => byte ^ 1));
  {
    await using database = await openDatabase(dataDir);
    await database.run("UPDATE contents SET sha256 = NULL");
  }
  const expected = new Map(
    contents.map((content) => [digest("md5", content), digest("sha256", content)] as const),
  );
  expected.delete(digest("md5", damaged));
  const missing = async () =>
    [...(await knownIn(dataDir)).values()].filter((it) => it === undefined).length;
  {
    // One that stops early keeps what it has found, or nothing.
    await using _server = await TestServer.start({ dataDir });
  }
  await using server = await TestServer.start({ dataDir });
  await until(async () => await missing() === 1);
  const known = await knownIn(dataDir);
  assert.equal(known.get(digest("md5", damaged)), undefined);
  known.delete(digest("md5", damaged));
  assert.deepEqual(new Map([...known].sort()), new Map([...expected].sort()));
  // The server before may have completed all others.
  const damage = () => server.log.filter((line) => line.includes("Damaged content"));
  await until(() => damage().length > 0);
  assert.equal(damage().length, 1);
});
