import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { noise } from "../support/random.ts";
import { frozen, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";
import { MAX_WAIT_MS } from "../support/until.ts";

/** Whether the disk can be made to stall here. */
async function canFreeze(): Promise<boolean> {
  await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
  if (disk === undefined) return false;
  await using stall = await frozen(disk);
  return stall !== undefined;
}

const LARGE = noise(300_000);

Deno.test({
  name:
    "C 22 while the disk stalls, a server answers what needs no write, and then goes on with the rest",
  ignore: !await canFreeze(),
  async fn() {
    await using disk = await smallDisk(64, "ext4");
    assert.ok(disk);
    const dataDir = `${disk.path}/data`;
    const env = { STRONGROOM_DISK_RESERVE_MB: "8" };
    const acknowledged: string[] = [];
    {
      await using child = await ChildServer.start({ dataDir, env });
      const one = await child.as(1);
      const stranger = await child.as(2, []);
      /** Fails if there is no answer while the disk stalls. */
      const signal = () => ({ signal: AbortSignal.timeout(MAX_WAIT_MS / 2) });
      const checkAnswers = async () => {
        assert.equal(
          (await fetch(`${child.origin}/healthz`, signal()).then((it) => it.json())).status,
          "success",
        );
        assert.equal((await one.send("GET", "/resources/", signal())).status, 200);
        assert.equal((await one.file("GET", "small", signal())).status, 200);
        assert.equal((await stranger.send("GET", "/resources/", signal())).status, 403);
        assert.equal((await one.send("GET", "/nothing", signal())).status, 404);
      };
      const changes: readonly (() => Promise<{ status: number; text: string }>)[] = [
        () => one.mkdir("made"),
        () => one.put("new", "content"),
        () => one.put("large", LARGE),
        () => one.remove({ path: "removed" }),
        () => one.move({ source: "small", destination: "moved" }),
      ];
      assert.equal((await one.put("removed", noise(200_000, 2))).status, 201);
      for (const [index, change] of changes.entries()) {
        assert.equal((await one.put("small", `content ${index}`)).status < 300, true);
        let pending: ReturnType<typeof change>;
        {
          await using stall = await frozen(disk);
          assert.ok(stall);
          pending = change();
          // If the answers fail the test, nobody is left to await this.
          pending.catch(() => {});
          await checkAnswers();
        }
        const { status, text } = await pending;
        assert.equal(status < 300, true, text);
      }
      acknowledged.push(...await one.paths());
      assert.deepEqual(acknowledged.toSorted(), ["large", "made", "moved", "new"]);
      assert.equal(child.starts, 1);
      await child.end("SIGKILL");
    }
    await using child = await ChildServer.start({ dataDir, env });
    const one = await child.as(1);
    assert.deepEqual(await one.paths(), acknowledged);
    assert.deepEqual(await one.bytes({ path: "large" }), LARGE);
    assert.equal((await child.end("SIGTERM")).code, 0);
  },
});
