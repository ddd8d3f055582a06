import * as assert from "node:assert/strict";
import * as v from "valibot";
import { AuditList } from "../../schemas/audit.ts";
import { AuditTrailFile } from "../../storage/upkeep/audit/audit_trail_file.ts";
import { Client, dataOf, refused } from "../support/client.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

type Query = Record<string, string>;

async function page(client: Client, query: Query = {}) {
  return v.parse(AuditList, dataOf(await client.send("GET", "/audit/", { query })));
}

async function actions(client: Client, query: Query = {}): Promise<string[]> {
  return (await page(client, query)).items.map(({ action }) => action);
}

Deno.test("C 22 administrators read the audit log, newest first, by pages", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  for (const name of ["a", "b", "c", "d", "e"]) await user.mkdir(name);
  const admin = await server.admin();
  const first = await page(admin, { limit: "2" });
  assert.deepEqual(first.items.map(({ paths }) => paths), [["e"], ["d"]]);
  assert.equal(first.items[0]?.user, 7);
  await user.mkdir("f");
  const paths: string[] = [];
  for (let { next } = first; next !== null;) {
    const more = await page(admin, { limit: "2", before: next });
    paths.push(...more.items.flatMap((it) => it.paths));
    next = more.next;
  }
  assert.deepEqual(paths, ["c", "b", "a"], "what is written meanwhile moves no page");
});

Deno.test("C 22 the audit log is filtered by user, tree, action, outcome, path and time", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7);
  await user.mkdir("models/a");
  await user.move({ source: "models/none", destination: "b" });
  await user.remove({ path: "models" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const between = new Date().toISOString();
  const admin = await server.admin(1);
  await admin.inTree(8).mkdir("docs");
  const [mkdir, move] = ["resources.mkdir", "resources.move"];
  assert.deepEqual(await actions(admin, { user: "7" }), ["resources.delete", move, mkdir]);
  assert.deepEqual(await actions(admin, { tree: "8" }), [mkdir]);
  assert.deepEqual(await actions(admin, { action: "resources.delete" }), ["resources.delete"]);
  assert.deepEqual(await actions(admin, { action: "resources" }), []);
  assert.deepEqual(await actions(admin, { outcome: "ErrResourcesNotFound" }), [move]);
  assert.deepEqual(await actions(admin, { path: "models/" }), [move, mkdir]);
  assert.deepEqual(await actions(admin, { path: "models", user: "1" }), []);
  assert.deepEqual(await actions(admin, { since: between }), [mkdir]);
  assert.equal((await actions(admin, { until: between })).length, 3);
  assert.deepEqual(await actions(admin, { since: "2099-01-01T00:00:00Z" }), []);
});

Deno.test("C 22 others read what they did, in trees that their credential may view", async () => {
  await using server = await TestServer.start();
  const claims = { userId: 7, privileges: USER_PRIVILEGES };
  const trees = { "9": ["resources.edit", "resources.view"], "8": ["resources.edit"] };
  const wide = new Client(server.url, await mintToken({ ...claims, trees }));
  await wide.mkdir("own");
  await wide.inTree(9).mkdir("team");
  await wide.inTree(8).mkdir("drop");
  await (await server.as(9)).mkdir("of 9");
  await (await server.admin(1)).inTree(7).mkdir("of the administrator");
  const paths = async (client: Client) => (await page(client)).items.flatMap((it) => it.paths);
  assert.deepEqual(await paths(wide), ["team", "own"]);
  const narrow = await server.as(7, "resources.view");
  assert.deepEqual(await paths(narrow), ["own"]);
  assert.deepEqual(await actions(narrow, { user: "7", tree: "9" }), []);
  refused(
    await narrow.send("GET", "/audit/", { query: { user: "9" } }),
    403,
    "ErrNotPermitted",
  );
  const blind = await server.as(7, "resources.upload");
  refused(await blind.send("GET", "/audit/"), 403, "ErrNotPermitted");
  assert.equal((await fetch(`${server.url}/audit/`)).status, 401);
});

Deno.test("C 22 an invalid request for the audit log is refused", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await admin.mkdir("a");
  const { ino } = await Deno.stat(`${server.dataDir}/audit.log`);
  for (
    const query of [
      { limit: "0" },
      { limit: "1001" },
      { user: "-1" },
      { tree: "-x" },
      { since: "yesterday" },
      { until: "2026-13-01T00:00:00Z" },
      { before: "" },
      { before: "x" },
      { before: "../../jwt.secret" },
      { before: "1-1" },
      { before: `${ino}-999999999` },
      { before: `${ino}--1` },
    ]
  ) {
    refused(await admin.send("GET", "/audit/", { query }), 400, "ErrResourcesInvalidRequest");
  }
});

Deno.test("C 22 a server that writes the audit log to stderr says so", async () => {
  await using server = await TestServer.start({ settings: { auditLog: "stderr" } });
  const reply = await (await server.admin()).send("GET", "/audit/");
  assert.match(refused(reply, 501, "ErrAuditNotKept"), /standard error/);
});

Deno.test("C 22 lines that cannot be read are counted, and hide no others", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await admin.mkdir("a");
  const path = `${server.dataDir}/audit.log`;
  const append = (text: string) => Deno.writeTextFile(path, text, { append: true });
  await append('{"time":"2026-11-22T09:00:00.000Z","act\n');
  await append('"text"\n[]\nnull\n{"action":7}\n\n\u0000\n');
  await append(`{"time":"2026-11-22T09:00:00.000Z","action":"${"x".repeat(700_000)}\n`);
  await admin.mkdir("b");
  await append('{"time":"2026-11-22T09:00:00.000Z","action":"cut"');
  const { items, skipped, next } = await page(admin);
  assert.deepEqual(items.map(({ paths }) => paths), [["b"], ["a"]]);
  assert.deepEqual([skipped, next], [8, null]);
});

Deno.test("C 22 the files that the audit log was renamed to are read after it", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  const path = `${server.dataDir}/audit.log`;
  const rotate = async (to: string) => {
    await Deno.rename(path, to);
    await until(() => Deno.stat(path).then(() => true, () => false));
  };
  await admin.mkdir("a");
  await rotate(`${path}.2`);
  await admin.mkdir("b");
  await rotate(`${path}.1`);
  await admin.mkdir("c");
  await admin.mkdir("d");
  const names = async (query: Query = {}) => {
    const { items, next } = await page(admin, query);
    return { names: items.flatMap(({ paths }) => paths), next };
  };
  assert.deepEqual(await names(), { names: ["d", "c", "b", "a"], next: null });
  const { names: [first], next } = await names({ limit: "1" });
  assert.equal(first, "d");
  // A rotation between two pages moves no line.
  await Deno.rename(`${path}.2`, `${path}.3`);
  await Deno.rename(`${path}.1`, `${path}.2`);
  await rotate(`${path}.1`);
  await admin.mkdir("e");
  const second = await names({ limit: "1", before: next ?? "" });
  assert.deepEqual(second.names, ["c"]);
  const rest = await names({ before: second.next ?? "" });
  assert.deepEqual(rest, { names: ["b", "a"], next: null });
  await Deno.remove(`${path}.1`);
  const query = { before: next ?? "" };
  refused(await admin.send("GET", "/audit/", { query }), 400, "ErrResourcesInvalidRequest");
});

Deno.test("C 22 a log that is renamed while nothing is written loses no line", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  const path = `${server.dataDir}/audit.log`;
  await admin.mkdir("a");
  for (let count = 0; count < 2; count++) {
    await Deno.rename(path, `${path}.1`);
    await until(() => Deno.stat(path).then(() => true, () => false));
  }
  await Deno.remove(`${path}.1`);
  await admin.mkdir("b");
  assert.deepEqual((await page(admin)).items.map(({ paths }) => paths), [["b"]]);
});

Deno.test("C 22 a page of the audit log reads a bounded part of it, wherever lines end", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/audit.log`;
  const line = (action: string, fill: number) =>
    JSON.stringify({
      time: "2026-11-22T09:00:00.000Z",
      action,
      paths: ["x".repeat(fill)],
      outcome: "ok",
    });
  const lines = Array.from({ length: 400 }, (_, index) => line(`a${index}`, index * 37 % 5000));
  await Deno.writeTextFile(path, `${lines.join("\n")}\n`);
  const { size } = await Deno.stat(path);
  const maxReadBytes = 100_000;
  const trail = new AuditTrailFile({ path, maxReadBytes });
  const found: string[] = [];
  let pages = 0;
  let before: string | undefined;
  do {
    let seen = 0;
    const read = await trail.read({
      before,
      limit: 1000,
      choose({ action }) {
        seen++;
        return action.endsWith("7") ? "keep" : "skip";
      },
    });
    assert.ok(read !== undefined && seen > 0);
    found.push(...read.lines.map(({ action }) => action));
    pages++;
    before = read.next;
  } while (before !== undefined);
  const [least, most] = [size / (maxReadBytes + 5200), size / maxReadBytes + 1];
  assert.ok(pages >= least && pages <= most, `${size} bytes in ${pages} pages`);
  const expected = lines.map((_, index) => `a${index}`).filter((it) => it.endsWith("7"));
  assert.deepEqual(found, expected.reverse());
});

Deno.test("C 22 a page of the audit log has a bounded size", async () => {
  await using directory = await TempDir.make();
  const path = `${directory.path}/audit.log`;
  const line = JSON.stringify({
    time: "2026-11-22T09:00:00.000Z",
    action: "a",
    paths: ["x".repeat(8000)],
    outcome: "ok",
  });
  await Deno.writeTextFile(path, `${line}\n`.repeat(300));
  const trail = new AuditTrailFile({ path });
  const read = await trail.read({ limit: 1000, choose: () => "keep" });
  assert.ok(read?.next !== undefined);
  assert.ok(read.lines.length > 100 && read.lines.length < 140, `${read.lines.length}`);
});
