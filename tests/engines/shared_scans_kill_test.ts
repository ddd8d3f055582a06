import * as assert from "node:assert/strict";
import * as v from "valibot";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { Report } from "../../schemas/report/report.ts";
import { ScanEntry } from "../../schemas/scans.ts";
import { ChildServer } from "../support/child_server.ts";
import { Client, dataOf } from "../support/client.ts";
import { Postgres } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared_postgres.ts";
import { S3_CREDENTIALS, S3Engine } from "../support/s3.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const startedPostgres = sharedPostgres();

const PRIVILEGES = ["scans.view", "scans.run", "resources.upload", "resources.download"];
const FILES = 150;

Deno.test({
  name: "C 23 a server cancels the scans of another, and ends them when that is killed",
  ignore: !Postgres.isInstalled || !S3Engine.isInstalled,
}, async () => {
  const postgres = startedPostgres();
  await using store = await S3Engine.start();
  await using directory = await TempDir.make();
  const env = {
    STRONGROOM_DATABASE_URL: await postgres.createDatabase(),
    STRONGROOM_JWT_SECRET: "a secret of all servers, longer than 32 bytes",
    STRONGROOM_MAX_INSTANCES: "1",
    STRONGROOM_CONTENT_URL: store.contentUrl(),
    STRONGROOM_S3_ACCESS_KEY: S3_CREDENTIALS.accessKeyId,
    STRONGROOM_S3_SECRET_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const start = (name: string) => ChildServer.start({ dataDir: `${directory.path}/${name}`, env });
  await using one = await start("one");
  const here = await one.as(1, PRIVILEGES);
  for (const directory of ["a", "b", "c"]) {
    const names = Array.from({ length: FILES }, (_, index) => `f${index}.txt`);
    const files = names.map((name) => [name, `${directory} ${name}`]);
    await here.upload(directory, Object.fromEntries(files));
  }
  const canceled = await requestScan(here, "a");
  await until(async () => (await scanOf(here, canceled)).files_scanned > 2);
  // The scan does not end by itself while the other server starts.
  for (const pid of await one.scanners()) Deno.kill(pid, "SIGSTOP");
  await using other = await start("other");
  const there = new Client(other.origin + BASE_PATH, here.token);
  const reply = v.parse(ScanEntry, dataOf(await there.send("DELETE", `/scans/${canceled}`)));
  assert.equal(reply.status, "cancelled");
  // Each server takes one of them.
  const ids = [await requestScan(here, "b"), await requestScan(here, "c")];
  await until(async () =>
    (await Promise.all(ids.map((id) => scanOf(there, id)))).every(({ status }) =>
      status !== "queued"
    )
  );
  await one.end("SIGKILL");
  for (const id of ids) {
    await until(async () => (await scanOf(there, id)).status === "completed");
    const { text } = await there.send("GET", `/scans/${id}/report`);
    const report = v.parse(Report, JSON.parse(text));
    assert.deepEqual([report.files_scanned, report.has_errors], [FILES, false]);
  }
});

async function requestScan(client: Client, path: string): Promise<number> {
  const reply = await client.json("POST", "/scans/", { path });
  return v.parse(ScanEntry, dataOf(reply, 202)).id;
}

async function scanOf(client: Client, id: number): Promise<ScanEntry> {
  return v.parse(ScanEntry, dataOf(await client.send("GET", `/scans/${id}`)));
}
