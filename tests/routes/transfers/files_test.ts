import * as assert from "node:assert/strict";
import { entry, items, refused } from "../../support/client.ts";
import { modelFile } from "../../support/models.ts";
import { TestServer } from "../../support/server.ts";
import { settledVerdicts } from "../../support/verdicts.ts";

Deno.test("C 17 and C 18 the gate holds for the addresses of files", async () => {
  const dangerous = await modelFile("pickle/hostile/eval.pkl");
  const clean = await modelFile("pickle/plain_3.pkl");
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const one = await server.as(1);
  entry(await one.put("m.pkl", dangerous), 201);
  assert.deepEqual(await settledVerdicts(one), ["m.pkl dangerous"]);
  for (const [name, value] of [["Accept", "*/*"], ["Range", "bytes=0-1"], ["If-None-Match", "*"]]) {
    const reply = await one.file("GET", "m.pkl", { headers: { [`${name}`]: `${value}` } });
    assert.match(refused(reply, 403, "ErrResourcesQuarantined"), /m\.pkl.*dangerous/);
  }
  assert.equal((await one.file("HEAD", "m.pkl")).status, 403);
  // What replaces a file is judged by itself.
  entry(await one.put("m.pkl", clean), 200);
  assert.deepEqual(await settledVerdicts(one), ["m.pkl clean"]);
  assert.equal((await one.file("GET", "m.pkl")).status, 200);
  entry(await one.put("m.pkl", dangerous), 200);
  refused(await one.file("GET", "m.pkl"), 403, "ErrResourcesQuarantined");
  const query = { on_conflict: "replace" };
  const body = new FormData();
  body.append("files", new Blob([clean]), "m.pkl");
  items(await one.send("POST", "/resources/", { query, body }));
  assert.deepEqual(await settledVerdicts(one), ["m.pkl clean"]);
  const audit = await Deno.readTextFile(`${server.dataDir}/audit.log`);
  const refusals = audit.split("\n").filter((line) => line.includes("ErrResourcesQuarantined"));
  assert.equal(refusals.length, 5);
  for (const line of refusals) assert.deepEqual(JSON.parse(line).paths, ["m.pkl"]);
});

Deno.test("C 17 and C 19 PUT /files/<path> acts in the tree that is named", async () => {
  await using server = await TestServer.start();
  const admin = (await server.admin(9)).inTree(7);
  assert.equal(entry(await admin.put("team/f", "x"), 201).user_id, 7);
  assert.equal(entry(await admin.put("team/f", "y"), 200).user_id, 7);
  assert.match(await (await admin.fetch("/resources/checksums")).text(), / {2}team\/f\n$/);
  const seven = await server.as(7);
  assert.equal((await seven.file("GET", "team/f")).text, "y");
  assert.deepEqual(await (await server.as(9)).tree(), []);
  assert.equal(items(await admin.file("DELETE", "team")).length, 2);
});

Deno.test("C 22 the addresses of files are one route of the metrics", async () => {
  await using server = await TestServer.start();
  const admin = await server.admin();
  await admin.put("a/b", "x");
  await admin.put("c", "x");
  const response = await fetch(`${server.origin}/metrics`, {
    headers: { Authorization: `Bearer ${admin.token}` },
  });
  const lines = (await response.text()).split("\n").filter((line) => line.includes("files"));
  assert.ok(lines.some((line) => line.includes('"/api/v1/files/:path"')), lines.join("\n"));
  assert.ok(!lines.some((line) => line.includes("[")));
});

Deno.test("C 13 scripts of a web origin may send preconditions and digests", async () => {
  const origin = "https://app.example";
  await using server = await TestServer.start({ app: { corsOrigins: [origin] } });
  const response = await fetch(`${server.url}/files/a`, {
    method: "OPTIONS",
    headers: { Origin: origin, "Access-Control-Request-Method": "PUT" },
  });
  const allowed = (response.headers.get("Access-Control-Allow-Headers") ?? "").toLowerCase();
  for (const name of ["if-match", "content-md5", "content-digest", "repr-digest"]) {
    assert.ok(allowed.split(",").includes(name), name);
  }
  assert.match(response.headers.get("Access-Control-Allow-Methods") ?? "", /PUT/);
});
