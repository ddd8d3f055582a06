import * as assert from "node:assert/strict";
import * as v from "valibot";
import { Usage } from "../../schemas/usage.ts";
import { noise } from "../support/random.ts";
import { ChildServer } from "../support/child_server.ts";
import { Client, dataOf, items, refused } from "../support/client.ts";
import { fullDisks } from "../faults/full_disks.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { hasProgram, run } from "../support/tools.ts";
import { until } from "../support/until.ts";
import { fillDisk, mountable, smallDisk, SMALLEST_MB } from "../support/small_disk.ts";

const kinds = await mountable();
const RESERVE_MB = 8;
/** Where both are tried. History has the same room everywhere. */
const CASES = [["tmpfs", "off"], ["ext4", "off"], ["ext4", "30d"], ["btrfs", "off"]] as const;
const NAMES = ["a", "b", "c", "d", "e", "f", "g", "h"];

async function freeMB(path: string): Promise<number> {
  const { statfs } = await import("node:fs/promises");
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize / 2 ** 20;
}

/** Uploads until one is refused, and checks that the refusal says why. Returns the paths. */
async function uploadUntilFull(client: Client, prefix: string): Promise<string[]> {
  const paths: string[] = [];
  for (let index = 0;; index++) {
    const name = `${prefix}${index}`;
    const reply = await client.upload("files", { [name]: noise(500_000, index + 1) });
    if (reply.status !== 200) {
      assert.match(refused(reply, 500, "ErrInternal"), /storage is full/);
      return paths;
    }
    paths.push(`files/${name}`);
  }
}

/** Checks that everything but uploads succeeds. */
async function checkGoesOn(client: Client, path: string): Promise<void> {
  const made = await client.mkdir(`made/for/${path}`);
  assert.equal(made.status, 200, made.text);
  const moved = await client.move({ source: path, destination: `made/for/${path}/` });
  assert.equal(moved.status, 200, moved.text);
  const removed = await client.remove({ path: `made/for/${path}` });
  assert.equal(removed.status, 200, removed.text);
}

Deno.test({
  name: "C 26 history gives way before an upload is refused, the oldest first",
  ignore: !kinds.has("tmpfs"),
  async fn() {
    await using disk = await smallDisk(SMALLEST_MB.tmpfs, "tmpfs");
    assert.ok(disk);
    await using child = await ChildServer.start({
      dataDir: `${disk.path}/data`,
      env: {
        STRONGROOM_DISK_RESERVE_MB: String(RESERVE_MB),
        STRONGROOM_HISTORY: "30d",
        STRONGROOM_JWT_SECRET: "a secret of more than thirty-two bytes",
      },
    });
    const one = await child.as(1);
    let version = 0;
    const replace = async (bytes: number) => {
      const replaced = await one.put("file", noise(bytes, ++version));
      assert.ok(replaced.status < 300, replaced.text);
    };
    const at = (version: number) => one.send("GET", "/files/file", { query: { at: `${version}` } });
    const isKept = async (version: number) => (await at(version)).status === 200;
    while (version < 2 * SMALLEST_MB.tmpfs) await replace(1_000_000);
    // A minute of it goes at once, which these are: now and then, a change has just been the first that is left.
    await until(async () => {
      await replace(1_000_000);
      return await isKept(version - 1);
    });
    refused(await at(1), 404, "ErrVersionsNotFound");
    // More than what is free now, but not than what history has besides.
    await replace(Math.ceil(await freeMB(disk.path) - RESERVE_MB + 4) * 1_000_000);
    // What nothing could make room for takes no history with it.
    const kept = version - 1;
    const large = await one.put("large", noise(SMALLEST_MB.tmpfs * 1_000_000));
    assert.match(refused(large, 500, "ErrInternal"), /storage is full/);
    assert.ok(await isKept(kept));
  },
});

/** Starts a server whose uploads leave the reserve free. */
function startHere(dataDir: string, history = "off"): Promise<ChildServer> {
  return ChildServer.start({
    dataDir,
    env: {
      STRONGROOM_DISK_RESERVE_MB: String(RESERVE_MB),
      STRONGROOM_HISTORY: history,
      STRONGROOM_JWT_SECRET: "a secret of more than thirty-two bytes",
    },
  });
}

for (const [kind, history] of CASES) {
  Deno.test({
    name:
      `C 2 and C 12 uploads stop at the reserve, and all else goes on (${kind}, history ${history})`,
    ignore: !kinds.has(kind),
    async fn() {
      await using disk = await smallDisk(SMALLEST_MB[kind], kind);
      assert.ok(disk);
      await using child = await startHere(`${disk.path}/data`, history);
      const one = await child.as(1);
      const paths = await uploadUntilFull(one, "f");
      const free = await freeMB(disk.path);
      assert.ok(
        // btrfs counts what was written only when it commits.
        paths.length > 3 && free > RESERVE_MB - (kind === "btrfs" ? 6 : 3),
        `${paths.length} files, ${free} MB free`,
      );
      const large = await one.upload("", { large: noise(3_000_000) });
      assert.match(refused(large, 500, "ErrInternal"), /storage is full/);
      for (const path of paths) await checkGoesOn(one, path);
      // The space of the deleted files serves again: at once, or when an upload needs the place of their history.
      if (history === "off") {
        await until(async () => await freeMB(disk.path) > free + paths.length / 4);
      }
      assert.equal((await uploadUntilFull(one, "g")).length > 3, true);
    },
  });
}

for (const [kind, history] of CASES) {
  Deno.test({
    name:
      `C 5 and C 12 a disk filled by others stops neither deletions nor a start (${kind}, history ${history})`,
    ignore: !kinds.has(kind),
    async fn() {
      await using disk = await smallDisk(SMALLEST_MB[kind], kind);
      assert.ok(disk);
      const dataDir = `${disk.path}/data`;
      for (const [round, signal] of (["SIGTERM", "SIGKILL", "SIGTERM"] as const).entries()) {
        await using child = await startHere(dataDir, history);
        const one = await child.as(1);
        if (round === 0) {
          const names = Array.from({ length: 40 }, (_, index) => [`f${index}`, `content ${index}`]);
          assert.equal(items(await one.upload("files", Object.fromEntries(names))).length, 40);
        }
        await fillDisk(disk, "foreign");
        refused(await one.upload("", { refused: "content" }), 500, "ErrInternal");
        const copied = await one.copy({ source: "files/f39", destination: "copied" });
        assert.match(refused(copied, 500, "ErrInternal"), /storage is full/);
        for (let index = round * 10; index < round * 10 + 10; index++) {
          await checkGoesOn(one, `files/f${index}`);
        }
        assert.equal((await child.end(signal)).code, signal === "SIGTERM" ? 0 : 137);
        await fillDisk(disk, "foreign");
      }
      await using child = await startHere(dataDir, history);
      const one = await child.as(1);
      assert.equal(
        (await one.paths({ path: "files", recursive: "1" })).filter((path) =>
          path.startsWith("files/")
        ).length,
        10,
      );
      await Deno.remove(`${disk.path}/foreign`);
      // btrfs has the space only then.
      await run("sync", ["--file-system", disk.path]);
      assert.equal((await one.upload("", { again: "content" })).status, 200);
    },
  });
}

Deno.test({
  name: "C 26 and C 12 history gives way before a deletion is refused on a disk filled by others",
  ignore: !kinds.has("ext4"),
  async fn() {
    await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(disk);
    await using child = await startHere(`${disk.path}/data`, "30d");
    const one = await child.as(1);
    const names = Array.from({ length: 96 }, (_, index) => `f${index}`);
    items(await one.upload("files", Object.fromEntries(names.map((name) => [name, name]))));
    const historyBytes = async () =>
      v.parse(Usage, dataOf(await one.send("GET", "/usage/"))).history_bytes;
    // The first ones have the ballast. The pages of their history are the room of all others, a few at a time, as
    // history gives way a moment later.
    for (let count = 32; names.length > 0; count = 8) {
      await fillDisk(disk, "foreign");
      for (const name of names.splice(0, count)) await checkGoesOn(one, `files/${name}`);
      await until(async () => await historyBytes() === 0);
    }
  },
});

Deno.test({
  name:
    "C 12 a start finds room for the memory that connections share, though the disk seems to have some",
  ignore: !kinds.has("ext4") || !await hasProgram("strace", "-e", "trace=none", "true"),
  async fn() {
    await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(disk);
    const dataDir = `${disk.path}/data`;
    const env = { STRONGROOM_DISK_RESERVE_MB: String(RESERVE_MB) };
    {
      await using child = await ChildServer.start({ dataDir, env });
      items(await (await child.as(1)).upload("", { f: "content" }));
      await child.end("SIGTERM");
    }
    // As btrfs does now and then: what statfs shows as free cannot be had yet.
    const refuse = "inject=pwrite64:error=ENOSPC:when=1..2";
    const only = ["-P", `${dataDir}/strongroom.db-shm`, "-o", "/dev/null"];
    const faults = [...only, "-e", "trace=pwrite64", "-e", refuse];
    await using child = await ChildServer.start({
      dataDir,
      env,
      under: ["strace", "-f", "--seccomp-bpf", ...faults],
    });
    assert.equal(
      new TextDecoder().decode(await (await child.as(1)).bytes({ path: "f" })),
      "content",
    );
  },
});

Deno.test({
  name: "C 12 a server starts on a full disk however often it was stopped there",
  ignore: !kinds.has("ext4"),
  async fn() {
    await using disk = await smallDisk(SMALLEST_MB.ext4, "ext4");
    assert.ok(disk);
    let credential: string | undefined;
    for (const path of NAMES) {
      await using child = await ChildServer.start({
        dataDir: `${disk.path}/data`,
        env: { STRONGROOM_DISK_RESERVE_MB: String(RESERVE_MB) },
      });
      if (credential === undefined) {
        const one = await child.as(1);
        items(await one.upload("", Object.fromEntries(NAMES.map((name) => [name, name]))));
        credential = one.token;
      }
      await fillDisk(disk, "foreign");
      const one = new Client(child.origin + BASE_PATH, credential);
      const removed = await one.remove({ path });
      assert.equal(removed.status, 200, removed.text);
      await fillDisk(disk, "foreign");
      assert.equal((await child.end("SIGTERM")).code, 0);
      await fillDisk(disk, "foreign");
    }
  },
});

for (const kind of ["tmpfs", "ext4", "btrfs", "xfs"] as const) {
  Deno.test({
    name: `C 5.5 and C 5.6 the replies of a server whose disk others fill hold (${kind})`,
    ignore: !kinds.has(kind),
    async fn() {
      assert.equal((await fullDisks(kind, { count: 2, seed: 20261122 })).tried, 2);
    },
  });
}
