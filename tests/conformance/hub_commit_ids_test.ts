import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { HubClient, jsonOf } from "../support/hub.ts";
import { MD5_COLLISION } from "../support/md5_collision.ts";
import { seededRandom } from "../support/random.ts";
import { TestServer } from "../support/server.ts";

interface Info {
  readonly sha: string;
  readonly siblings: readonly { readonly rfilename: string }[];
}

/** The information on a repository, or undefined if it does not exist. */
async function infoOf(hub: HubClient, id: string): Promise<Info | undefined> {
  const reply = await hub.send("GET", `/api/models/${id}`);
  if (reply.status === 404) return undefined;
  const info: unknown = jsonOf(reply);
  assert.ok(typeof info === "object" && info !== null && "sha" in info && "siblings" in info);
  const { sha, siblings } = info;
  assert.ok(typeof sha === "string" && Array.isArray(siblings));
  return { sha, siblings };
}

function commitIdOf(files: ReadonlyMap<string, string>): string {
  const hash = createHash("sha256");
  const names = [...files.keys()].map((name) => new TextEncoder().encode(name));
  for (
    const name of names.sort((a, b) => compare(a, b)).map((it) => new TextDecoder().decode(it))
  ) {
    const digest = createHash("sha256").update(files.get(name) ?? "").digest("hex");
    hash.update(`${digest}  ${name}\n`);
  }
  return hash.digest("hex").slice(0, 40);
}

function compare(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}

Deno.test("C 20 a commit id changes exactly when the files do", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const shaOf = async (id = "team/one") => (await infoOf(hub, id))?.sha;
  await user.put("models/team/one/a", "aaa");
  await user.put("models/team/one/sub/b", "bbb");
  await user.put("models/team/two/a", "aaa");
  const first = await shaOf();
  const second = await shaOf("team/two");

  const steps: [string, () => Promise<unknown>, boolean][] = [
    ["another file", () => user.put("models/team/one/c", "ccc"), true],
    ["the same content again", () => user.put("models/team/one/c", "ccc"), false],
    ["other content of the same size", () => user.put("models/team/one/c", "ddd"), true],
    [
      "a rename",
      () => user.move({ source: "models/team/one/c", destination: "models/team/one/d" }),
      true,
    ],
    ["an empty folder", () => user.mkdir("models/team/one/empty"), false],
    [
      "the rename of an empty folder",
      () => user.move({ source: "models/team/one/empty", destination: "models/team/one/void" }),
      false,
    ],
    [
      "the rename of a folder",
      () => user.move({ source: "models/team/one/sub", destination: "models/team/one/other" }),
      true,
    ],
    [
      "a copy",
      () => user.copy({ source: "models/team/one/a", destination: "models/team/one/e" }),
      true,
    ],
    [
      "a copy over a file",
      () =>
        user.copy({ source: "models/team/one/d", destination: "models/team/one/e", force: true }),
      true,
    ],
    ["a move out of it", () => user.move({ source: "models/team/one/e", destination: "e" }), true],
    ["a move into it", () => user.move({ source: "e", destination: "models/team/one/e" }), true],
    ["a deletion", () => user.remove({ path: "models/team/one/other/b" }), true],
    [
      "a move over a file",
      () =>
        user.move({ source: "models/team/one/e", destination: "models/team/one/d", force: true }),
      true,
    ],
    [
      "a file of another user",
      async () => (await server.as(8)).put("models/team/one/f", "fff"),
      false,
    ],
    ["a file elsewhere in the tree", () => user.put("models/team/file", "1"), false],
  ];
  for (const [name, change, changes] of steps) {
    await t.step(`C 20 ${name} ${changes ? "changes" : "keeps"} it`, async () => {
      const before = await shaOf();
      await change();
      const after = await shaOf();
      assert.match(String(after), /^[0-9a-f]{40}$/);
      assert.equal(after !== before, changes);
      assert.equal(await shaOf("team/two"), second);
    });
  }
  await t.step("C 20 the former files have the former commit id", async () => {
    for (const path of ["d", "void", "other", "a"]) {
      await user.remove({ path: `models/team/one/${path}` });
    }
    await user.put("models/team/one/sub/b", "bbb");
    await user.put("models/team/one/a", "aaa");
    assert.equal(await shaOf(), first);
  });
  await t.step(
    "C 20 a repository that moves, with all above it, takes its commit id along",
    async () => {
      await user.move({ source: "models/team/one", destination: "models/team/uno" });
      assert.deepEqual([await shaOf(), await shaOf("team/uno")], [undefined, first]);
      await user.move({ source: "models/team", destination: "models/crew" });
      assert.deepEqual([await shaOf("team/uno"), await shaOf("crew/uno")], [undefined, first]);
      assert.equal(await shaOf("crew/two"), second);
      await user.move({ source: "models", destination: "old" });
      assert.equal(await shaOf("crew/uno"), undefined);
      await user.copy({ source: "old", destination: "models" });
      assert.equal(await shaOf("crew/uno"), first);
    },
  );
  await t.step("C 20 another repository that takes the place is another one", async () => {
    await user.put("models/crew/three/x", "xxx");
    const third = await shaOf("crew/three");
    assert.equal(await shaOf("crew/uno"), first);
    await user.remove({ path: "models/crew/uno" });
    assert.equal(await shaOf("crew/uno"), undefined);
    await user.move({ source: "models/crew/three", destination: "models/crew/uno" });
    assert.deepEqual([await shaOf("crew/uno"), await shaOf("crew/three")], [third, undefined]);
    await user.remove({ path: "models" });
    assert.equal(await shaOf("crew/uno"), undefined);
  });
});

Deno.test("C 20 content with a forged MD5 has a commit id of its own", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const [one, other] = MD5_COLLISION;
  await user.put("models/a/b/f", one);
  const before = await infoOf(hub, "a/b");
  await user.remove({ path: "models/a/b/f" });
  await server.tree.sweeper.finish();
  await user.put("models/a/b/f", other);
  assert.notEqual((await infoOf(hub, "a/b"))?.sha, before?.sha);
});

Deno.test("C 20 after a large change, the commit id is that of the new files", async () => {
  await using server = await TestServer.start({ maxDirectRecords: 20 });
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const files = new Map<string, string>();
  for (let index = 0; index < 60; index++) {
    files.set(`f${index}`, `${index}`);
    await user.put(`models/a/b/f${index}`, `${index}`);
  }
  assert.equal((await infoOf(hub, "a/b"))?.sha, commitIdOf(files));
  let moving = true;
  const move = user.move({ source: "models/a", destination: "models/c" })
    .finally(() => moving = false);
  while (moving) {
    // The former state or the new one, and nothing in between.
    const [a, c] = [await infoOf(hub, "a/b"), await infoOf(hub, "c/b")];
    for (const found of [a, c]) {
      if (found !== undefined) assert.equal(found.sha, commitIdOf(files));
    }
  }
  assert.equal((await move).status, 200);
  assert.equal(await infoOf(hub, "a/b"), undefined);
  assert.equal((await infoOf(hub, "c/b"))?.sha, commitIdOf(files));
});

Deno.test("C 20 what is served under a commit id is what it stands for, while files change", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const random = seededRandom(1);
  const files = new Map<string, string>();
  /** The files of each state that there was, by commit id. */
  const states = new Map<string, ReadonlyMap<string, string>>();
  const remember = () => states.set(commitIdOf(files), new Map(files));
  const put = async (name: string, content: string) => {
    files.set(name, content);
    remember();
    assert.ok((await user.put(`models/a/b/${name}`, content)).status < 300);
  };
  await put("f0", "0");
  let writing = true;
  const write = async () => {
    for (let step = 1; step <= 150; step++) {
      const name = `f${random(5)}`;
      const moved = `f${5 + random(5)}`;
      if (files.has(name) && !files.has(moved) && random(3) === 0) {
        files.set(moved, files.get(name) ?? "");
        files.delete(name);
        remember();
        await user.move({ source: `models/a/b/${name}`, destination: `models/a/b/${moved}` });
      } else if (files.size > 2 && files.has(name) && random(3) === 0) {
        files.delete(name);
        remember();
        await user.remove({ path: `models/a/b/${name}` });
      } else await put(name, `${step % 10}`);
      // A reply to a change comes after the commit id has changed.
      assert.equal((await infoOf(hub, "a/b"))?.sha, commitIdOf(files));
    }
    writing = false;
  };
  let checked = 0;
  const read = async () => {
    while (writing) {
      const info = await infoOf(hub, "a/b");
      const state = states.get(info?.sha ?? "");
      assert.ok(info !== undefined && state !== undefined, "a state that there never was");
      assert.deepEqual(info.siblings.map(({ rfilename }) => rfilename), [...state.keys()].sort());
      const name = `f${checked % 10}`;
      const reply = await hub.send("GET", `/a/b/resolve/main/${name}`);
      checked++;
      // What was promised was replaced before it was asked for.
      if (reply.headers.get("X-Error-Code") === "RevisionNotFound") continue;
      const served = states.get(reply.headers.get("X-Repo-Commit") ?? "");
      assert.ok(served !== undefined, reply.text);
      const expected = served.get(name);
      assert.equal(reply.status, expected === undefined ? 404 : 200, reply.text);
      if (expected !== undefined) assert.equal(reply.text, expected);
    }
  };
  await Promise.all([write(), read(), read(), read()]);
  assert.ok(checked > 50, `only ${checked} reads`);
});
