import * as assert from "node:assert/strict";
import { reportSarif } from "../../core/scanner/report/sarif.ts";
import config from "../../deno.json" with { type: "json" };
import { type Client, refused } from "../support/client.ts";
import { sarifFaults } from "../support/json_schemas.ts";
import { modelFile } from "../support/models.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";

const PRIVILEGES = [...USER_PRIVILEGES, "scans.view", "scans.run"];

async function scanned(client: Client, path: string): Promise<number> {
  const reply = await client.json("POST", "/scans/?wait=60", { path });
  assert.equal(reply.status, 202, reply.text);
  return JSON.parse(reply.text).data.id;
}

Deno.test("C 24 the report of a scan is downloaded as SARIF", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7, ...PRIVILEGES);
  const dangerous = await modelFile("pickle/hostile/eval.pkl");
  await user.upload("models & b", {
    "a b.pkl": dangerous,
    "é.pkl": dangerous,
    "plain.json": "{}",
    "empty.bin": "",
  });
  const id = await scanned(user, "models & b");
  const reply = await user.send("GET", `/scans/${id}/report`, { query: { format: "sarif" } });
  assert.equal(reply.headers.get("Content-Type"), "application/sarif+json");
  const log = JSON.parse(reply.text);
  assert.deepEqual(await sarifFaults(log), []);
  const report = await user.send("GET", `/scans/${id}/report`, { query: { format: "json" } });
  const whole = reportSarif(JSON.parse(report.text), { version: config.version });
  assert.deepEqual(log, JSON.parse(JSON.stringify(whole)));
  assert.ok(log.runs[0].results.length >= 2);
  assert.equal(log.runs[0].results[0].level, "error");
});

Deno.test("C 24 SARIF is refused as the report itself is", async () => {
  await using server = await TestServer.start();
  const user = await server.as(7, ...PRIVILEGES);
  await user.upload("", { "a.json": "{}" });
  const id = await scanned(user, "a.json");
  const get = (client: Client, scan: number, format: string) =>
    client.send("GET", `/scans/${scan}/report`, { query: { format } });
  refused(await get(user, id, "xml"), 400, "ErrResourcesInvalidRequest");
  refused(await get(user, id, "SARIF"), 400, "ErrResourcesInvalidRequest");
  refused(await get(user, id + 1, "sarif"), 404, "ErrScansNotFound");
  refused(await get(await server.as(8, ...PRIVILEGES), id, "sarif"), 404, "ErrScansNotFound");
  refused(await get(await server.as(7), id, "sarif"), 403, "ErrNotPermitted");
});
