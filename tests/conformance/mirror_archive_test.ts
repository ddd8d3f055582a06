import * as assert from "node:assert/strict";
import * as v from "valibot";
import { MirrorEntry, MirrorFetch, MirrorList } from "../../schemas/mirror.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { download, type Mirroring, mirroring } from "../support/mirroring.ts";
import type { DoubleFile } from "../support/hub_double.ts";
import { modelFile } from "../support/models.ts";
import { until } from "../support/until.ts";

const CONTENT = crypto.getRandomValues(new Uint8Array(30_000));

const FILES = {
  "config.json": "{}",
  "w\u00e9.bin": { content: CONTENT },
  "other.bin": "not fetched",
  "empty": "",
};

/** Has a server fetch files of a repository, of which some are there only. */
async function exporting(
  parts: Mirroring,
  files: Readonly<Record<string, DoubleFile | string>> = FILES,
): Promise<{ admin: Client; id: number; commit: string }> {
  const commit = parts.double.add("org/model", files);
  const admin = await parts.server.admin();
  const asked = await admin.json("POST", "/mirror/", { repository: "org/model" });
  const { id } = v.parse(MirrorEntry, dataOf(asked));
  for (const path of Object.keys(files).filter((path) => path !== "other.bin")) {
    await until(async () => {
      const reply = await admin.json("POST", `/mirror/${id}/fetches`, { path });
      return v.parse(MirrorFetch, dataOf(reply)).is_fetched;
    });
  }
  return { admin, id, commit };
}

async function archiveOf(admin: Client, id: number): Promise<Uint8Array<ArrayBuffer>> {
  const response = await admin.fetch(`/mirror/${id}/archive`, { query: { name: "main" } });
  assert.equal(response.status, 200);
  return new Uint8Array(await response.arrayBuffer());
}

const put = (client: Client, body: Uint8Array<ArrayBuffer>) =>
  client.send("PUT", "/mirror-archive", { body });

Deno.test("C 28 a revision is carried to a strongroom without any network as one file", async (t) => {
  await using source = await mirroring();
  const { admin, id, commit } = await exporting(source);
  const archive = await archiveOf(admin, id);
  await using target = await mirroring();
  const { server, hub, double } = target;
  // The cable is cut.
  double.fault = () => ({ status: 503 });
  const other = await server.admin();

  await t.step("what is cut, or changed, is refused, and no wrong byte is served", async () => {
    const changed = archive.slice();
    const at = archive.length - 5000;
    changed[at] = (changed[at] ?? 0) ^ 1;
    refused(await put(other, changed), 400, "ErrResourcesInvalidData");
    const { response } = await download(hub, `/org/model/resolve/${commit}/w%C3%A9.bin`);
    assert.notEqual(response.status, 200);
    const starts = [0, 1, 100, 500, archive.length - 40, archive.length - 1];
    for (const end of starts) {
      refused(await put(other, archive.slice(0, end)), 400, "ErrResourcesInvalidData");
    }
    refused(
      await put(other, new Uint8Array([...archive, 10])),
      400,
      "ErrResourcesInvalidData",
    );
  });
  await t.step("what is whole is served by its branch and its commit", async () => {
    const entry = v.parse(MirrorEntry, dataOf(await put(other, archive)));
    assert.deepEqual([entry.commit, entry.files, entry.fetched_files], [commit, 4, 3]);
    for (const revision of ["main", commit]) {
      const { response, bytes } = await download(hub, `/org/model/resolve/${revision}/w%C3%A9.bin`);
      assert.equal(response.status, 200);
      assert.deepEqual(bytes, CONTENT);
    }
    const list = await hub.send("GET", "/api/models/org/model");
    assert.match(list.text, /"other\.bin"/);
    assert.equal((await hub.send("GET", "/org/model/resolve/main/other.bin")).status, 503);
  });
  await t.step("it can be imported again, and exported from there", async () => {
    dataOf(await put(other, archive));
    const { items } = v.parse(MirrorList, dataOf(await other.send("GET", "/mirror/")));
    assert.equal(items.length, 1);
    assert.deepEqual(await archiveOf(other, items[0]?.id ?? 0), archive);
  });
  await t.step("administrators alone may", async () => {
    const user = await server.as(1, "mirror.use");
    refused(await put(user, archive), 403, "ErrNotPermitted");
    refused(await user.send("GET", "/mirror/1/archive"), 403, "ErrNotPermitted");
  });
});

Deno.test("C 28 an archive does not bring in a name that is used inside", async () => {
  await using source = await mirroring();
  const { admin, id } = await exporting(source);
  const archive = await archiveOf(admin, id);
  await using target = await mirroring({ settings: { ownNamespaces: ["ORG"] } });
  refused(await put(await target.server.admin(), archive), 403, "ErrNotPermitted");
});

Deno.test("C 18, 28 what is imported is scanned, and what the gate refuses is not exported", async () => {
  await using source = await mirroring();
  const evil = await modelFile("pickle/hostile/eval.pkl");
  const files = { "config.json": "{}", "evil.pkl": { content: evil } };
  const { admin, id, commit } = await exporting(source, files);
  const archive = await archiveOf(admin, id);
  await using target = await mirroring({ settings: { gate: "block" } });
  const { server, hub } = target;
  const other = await server.admin();
  const { id: imported } = v.parse(MirrorEntry, dataOf(await put(other, archive)));
  for (const [path, expected] of [["config.json", 200], ["evil.pkl", 403]] as const) {
    await until(async () => {
      const { response } = await download(hub, `/org/model/resolve/${commit}/${path}`);
      return response.status === expected;
    });
  }
  const contents = (archive: Uint8Array) =>
    [...new TextDecoder("latin1").decode(archive).matchAll(/"line":"content","path":"([^"]+)"/g)]
      .map(([, path]) => path);
  assert.deepEqual(contents(archive), ["config.json", "evil.pkl"]);
  assert.deepEqual(contents(await archiveOf(other, imported)), ["config.json"]);
});
