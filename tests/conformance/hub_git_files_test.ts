import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { blobIdOf } from "../../core/hub/git_files.ts";
import { fetchBare, HubClient, jsonOf } from "../support/hub.ts";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";

const Listed = v.array(v.object({
  path: v.string(),
  oid: v.string(),
  size: v.number(),
  lfs: v.optional(v.object({ oid: v.string(), size: v.number(), pointerSize: v.number() })),
}));
const Planned = v.object({
  files: v.array(v.object({
    path: v.string(),
    uploadMode: v.picklist(["regular", "lfs"]),
    oid: v.nullable(v.string()),
  })),
});

/** Names, whether Git LFS keeps such a small file of a model, and of a data set. */
const NAMES: Readonly<Record<string, readonly [boolean, boolean]>> = {
  "README.md": [false, false],
  "config.json": [false, false],
  "bin": [false, false],
  "a.binary": [false, false],
  "a.bin.txt": [false, false],
  "a.Bin": [false, false],
  "tar": [false, false],
  "d/saved_model/x.txt": [false, false],
  "a.bin": [true, true],
  "d/e/a.safetensors": [true, true],
  "a.gguf": [true, true],
  "data/train.parquet": [true, true],
  "a.tar.x": [true, true],
  "a.lfs.x": [true, true],
  "run/events.out.tfevents.1": [true, true],
  "saved_model/x.txt": [true, true],
  "image.png": [false, true],
  "sound.wav": [false, true],
  "rows.avro": [false, true],
};

Deno.test("C 31 preupload, lists and resolve agree on which files Git LFS keeps", async (t) => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  for (const [index, kind] of (["models", "datasets"] as const).entries()) {
    const api = `/api/${kind}/team/one`;
    await hub.create("team/one", kind === "models" ? "model" : "dataset");
    const contents = Object.keys(NAMES).map((path) => [path, `content of ${path}`] as const);
    const files = contents.map(([path, { length: size }]) => ({ path, size, sample: "" }));
    const isLfs = Object.fromEntries(Object.entries(NAMES).map(([name, of]) => [name, of[index]]));
    const plan = async () =>
      v.parse(Planned, jsonOf(await hub.post(`${api}/preupload/main`, { files }))).files;
    const shown = (path: string, text: string) =>
      isLfs[path] ? sha256Of(text) : blobIdOf(new TextEncoder().encode(text));

    await t.step(`C 31 ${kind}: preupload`, async () => {
      const modes = (await plan()).map(({ path, uploadMode }) => [path, uploadMode === "lfs"]);
      assert.deepEqual(Object.fromEntries(modes), isLfs);
      for (const [path, text] of contents) await user.put(`${kind}/team/one/${path}`, text);
      const oids = (await plan()).map(({ path, oid }) => [path, oid]);
      assert.deepEqual(oids, contents.map(([path, text]) => [path, shown(path, text)]));
    });
    await t.step(`C 31 ${kind}: the tree and paths-info`, async () => {
      const tree = await hub.send("GET", `${api}/tree/main?recursive=true`);
      const paths = await hub.post(`${api}/paths-info/main`, { paths: Object.keys(NAMES) });
      for (const reply of [tree, paths]) {
        const found = v.parse(Listed, jsonOf(reply))
          .filter(({ path }) => Object.hasOwn(NAMES, path));
        const lfs = found.map(({ path, lfs }) => [path, lfs !== undefined]);
        assert.deepEqual(Object.fromEntries(lfs), isLfs);
        for (const { path, oid, lfs } of found) {
          assert.equal(lfs?.oid ?? oid, shown(path, `content of ${path}`), path);
        }
      }
    });
    await t.step(`C 31 ${kind}: resolve`, async () => {
      const web = kind === "models" ? "" : "/datasets";
      for (const [path, text] of contents) {
        const etag = `"${shown(path, text)}"`;
        const reply = await hub.send("HEAD", `${web}/team/one/resolve/main/${path}`, {
          redirect: "manual",
        });
        assert.equal(reply.headers.get("X-Linked-ETag"), etag, path);
        const content = await fetchBare(server.origin + reply.headers.get("Location"));
        assert.deepEqual([content.headers.get("ETag"), content.text], [etag, text]);
      }
    });
  }
});

Deno.test("C 31 a list reads no more small content at once than 4 MiB, and has all of it", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const contents = new Map(
    Array.from({ length: 130 }, (_, index) => [`f${1000 + index}`, noise(65_536, index + 1)]),
  );
  for (const [name, content] of contents) await user.put(`models/team/one/${name}`, content);
  const expected = [...contents].map(([path, content]) => [path, blobIdOf(content)]);
  const listed: string[][] = [];
  let pages = 0;
  for (let next: string | undefined = "/api/models/team/one/tree/main"; next !== undefined;) {
    const reply = await hub.send("GET", next);
    listed.push(...v.parse(Listed, jsonOf(reply)).map(({ path, oid }) => [path, oid]));
    pages++;
    next = /^<(.*)>/.exec(reply.headers.get("Link") ?? "")?.[1]?.slice(hub.url.length);
  }
  assert.deepEqual([pages, listed], [3, expected]);
  const paths = [...contents.keys()].reverse();
  const found = jsonOf(await hub.post("/api/models/team/one/paths-info/main", { paths }));
  assert.deepEqual(v.parse(Listed, found).map(({ path, oid }) => [path, oid]), expected);
  const info = jsonOf(await hub.send("GET", "/api/models/team/one?blobs=true"));
  const Siblings = v.object({
    siblings: v.array(v.object({ rfilename: v.string(), blobId: v.string() })),
  });
  const siblings = v.parse(Siblings, info).siblings;
  assert.deepEqual(siblings.map(({ rfilename, blobId }) => [rfilename, blobId]), expected);
});

function sha256Of(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
