import * as assert from "node:assert/strict";
import { backUp } from "../../../storage/upkeep/backup/back_up.ts";
import { restore } from "../../../storage/upkeep/backup/restore.ts";
import { strongroom } from "../../support/child_server.ts";
import { type Client, items } from "../../support/client.ts";
import { IS_SHARED } from "../../support/engines.ts";
import { noise, seededRandom } from "../../support/random.ts";
import { TestServer } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

const HISTORY = { settings: { history: 86_400_000 } };
const CHANGES = 120;
/** How many versions are drawn at random and compared. */
const DRAWN = 50;

/** Changes a tree at random, and tags what it is now and then. */
async function change(client: Client): Promise<void> {
  const random = seededRandom(20261127);
  const path = () => Array.from({ length: 1 + random(3) }, () => "abc"[random(3)]).join("/");
  for (let change = 0; change < CHANGES; change++) {
    const body = { source: path(), destination: path(), force: true };
    // Some are refused, as what they name is not there.
    if (random(3) > 0) await client.put(`${path()}/f${random(3)}`, noise(random(90_000), change));
    else if (random(2) === 0) await client.move(body);
    else await client.remove({ path: path() });
    if (change % 30 === 29) {
      await client.json("POST", "/tags/", { name: `tag-${change}`, path: "", message: "so far" });
    }
  }
}

/** All that clients read of the tree at a version, or by a tag. */
async function read(client: Client, at: string): Promise<string> {
  const listed = await client.list({ recursive: "true", at });
  const sums = await client.send("GET", "/resources/checksums", { query: { at } });
  const bytes: string[] = [];
  for (const { path, is_dir: isDirectory } of items(listed)) {
    if (isDirectory) continue;
    const content = await crypto.subtle.digest("SHA-256", await client.bytes({ path, at }));
    bytes.push(`${path} ${new Uint8Array(content).toHex()}`);
  }
  return [listed.text, sums.text, ...bytes].join("\n");
}

async function readAll(client: Client, drawn: readonly string[]): Promise<string[]> {
  const tags = await client.send("GET", "/tags/");
  const log = await client.send("GET", "/resources/history", { query: { limit: "1000" } });
  const states = [];
  for (const at of drawn) states.push(await read(client, at));
  return [tags.text, log.text, ...states];
}

Deno.test({
  name: "C 26 a backup, a restore and a migration carry every version and tag, byte for byte",
  // These commands have tests of their own for other engines.
  ignore: IS_SHARED,
  async fn() {
    await using directory = await TempDir.make();
    const backup = `${directory.path}/backup`;
    const restored = `${directory.path}/restored`;
    const migrated = `${directory.path}/migrated`;
    const random = seededRandom(26);
    let expected: string[];
    let drawn: string[];
    {
      await using server = await TestServer.start(HISTORY);
      const one = await server.as(1);
      await change(one);
      const now = await one.send("GET", "/resources/", { query: { at: "2099-01-01T00:00:00Z" } });
      const last = Number(now.headers.get("X-Version"));
      assert.ok(last > DRAWN, String(last));
      drawn = Array.from({ length: DRAWN }, () => String(random(last + 1)));
      drawn.push("tag-29", "tag-119");
      expected = await readAll(one, drawn);
      assert.deepEqual((await backUp(server.dataDir, backup, () => {})).findings.listed, []);
    }
    assert.deepEqual((await restore(restored, backup, () => {})).findings.listed, []);
    await same(restored, drawn, expected);
    const { code, stderr } = await strongroom(["migrate", "--from", restored, "--to", migrated]);
    assert.equal(code, 0, stderr);
    await same(migrated, drawn, expected);
  },
});

async function same(
  dataDir: string,
  drawn: readonly string[],
  expected: readonly string[],
): Promise<void> {
  await using server = await TestServer.start({ ...HISTORY, dataDir });
  assert.deepEqual(await readAll(await server.as(1), drawn), expected);
}
