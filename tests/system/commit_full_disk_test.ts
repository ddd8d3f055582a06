import * as assert from "node:assert/strict";
import { findObjects } from "../../core/hub/lfs_objects.ts";
import type { Operation } from "../../core/hub/ports.ts";
import {
  callerWith,
  commitTo,
  file,
  lfsFile,
  park,
  REPOSITORY,
  sha256Of,
} from "../support/commits.ts";
import { checkInvariants } from "../support/invariants.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { fillDisk, mountable, smallDisk } from "../support/small_disk.ts";

const ONE = callerWith(1);
const kinds = await mountable();

Deno.test({
  name: "C 20 and C 5.5 a commit on a full disk changes nothing, and can be repeated",
  ignore: !kinds.has("tmpfs"),
  async fn(t) {
    await using disk = await smallDisk(64, "tmpfs");
    assert.ok(disk);
    await using server = await TestServer.start({ dataDir: `${disk.path}/data` });
    const client = await server.as(1);
    await client.put(`${REPOSITORY}/old`, "old");
    const object = noise(500_000);
    await park(server.hub, ONE, object);
    const pointer = { sha256: sha256Of(object), size: object.length };
    // Without a reserve, nothing refuses them before a write fails.
    const small = (): Operation[] =>
      Array.from({ length: 400 }, (_, index) => file(`small/${index}`, noise(10_000, index + 1)));
    const cases: Readonly<Record<string, () => Operation[]>> = {
      "in its transaction": () => [lfsFile("weights", object), ...small()],
      "while content comes in": () => [lfsFile("weights", object), file("large", noise(900_000))],
    };
    for (const [name, operations] of Object.entries(cases)) {
      await t.step(name, async () => {
        await using events = await client.events();
        await fillDisk(disk, "foreign");
        const failing = commitTo(server.hub, ONE, [...operations(), file("old", "new")]);
        await assert.rejects(failing, /storage is full/);
        await Deno.remove(`${disk.path}/foreign`);
        assert.deepEqual(
          (await client.tree()).filter((path) => path.startsWith(`${REPOSITORY}/`)),
          [
            `${REPOSITORY}/old`,
          ],
        );
        assert.deepEqual(await client.bytes({ path: `${REPOSITORY}/old` }), bytesOf("old"));
        assert.deepEqual(await findObjects(server.hub, ONE, [pointer]), [true]);
        await checkInvariants(server);
        await client.mkdir(name);
        assert.deepEqual(await events.take(1), [`added ${name}`]);
      });
    }
    await commitTo(server.hub, ONE, [lfsFile("weights", object), ...small(), file("old", "new")]);
    assert.deepEqual(await client.bytes({ path: `${REPOSITORY}/weights` }), object);
    await checkInvariants(server);
  },
});

Deno.test({
  name: "C 20 content that a full disk refuses is not kept",
  ignore: !kinds.has("tmpfs"),
  async fn() {
    await using disk = await smallDisk(64, "tmpfs");
    assert.ok(disk);
    await using server = await TestServer.start({ dataDir: `${disk.path}/data` });
    await fillDisk(disk, "foreign");
    for (const content of [noise(900_000), noise(1000)]) {
      await assert.rejects(park(server.hub, ONE, content), /storage is full/);
    }
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${server.dataDir}/uploads`)), []);
    await Deno.remove(`${disk.path}/foreign`);
    await park(server.hub, ONE, noise(900_000));
  },
});

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}
