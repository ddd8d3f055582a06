import * as assert from "node:assert/strict";
import { ScanFailure } from "../../core/scans/ports.ts";
import type { Client } from "../support/client.ts";
import { HubClient, hubRefused, jsonOf } from "../support/hub.ts";
import { modelFile } from "../support/models.ts";
import { ScanRoom } from "../support/scan_room.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { settledVerdicts, statOf } from "../support/verdicts.ts";

const CLEAN = await modelFile("pickle/plain_3.pkl");
const DANGEROUS = await modelFile("pickle/hostile/eval.pkl");
const SUSPICIOUS = await modelFile("pickle/unlisted_call.pkl");
const INCONCLUSIVE = await modelFile("pickle/truncated.pkl");

const DIRECTORY = "models/team/one";
const API = "/api/models/team/one";

async function store(client: Client, files: Readonly<Record<string, BodyInit>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    assert.equal((await client.put(`${DIRECTORY}/${name}`, content)).status, 201);
  }
}

/** What the client parses of the security of each file: path, status and whether it is safe. */
function statuses(value: unknown): string[] {
  assert.ok(Array.isArray(value));
  return value.map(({ path, security, securityFileStatus }) => {
    const { status, safe, ...scans } = securityFileStatus;
    assert.deepEqual(scans, { avScan: null, pickleImportScan: null });
    assert.deepEqual(security, { status, safe, avScan: null, pickleImportScan: null });
    return `${path} ${status} ${safe}`;
  });
}

async function statusOf(hub: HubClient): Promise<unknown> {
  const info: unknown = jsonOf(await hub.send("GET", `${API}?securityStatus=True`));
  assert.ok(typeof info === "object" && info !== null && "securityRepoStatus" in info);
  return info.securityRepoStatus;
}

Deno.test("C 18, 20 with the gate closed, files have the statuses that the clients know", async (t) => {
  await using server = await TestServer.start({ settings: { gate: "block" } });
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  const files = {
    "clean.pkl": CLEAN,
    "dangerous.pkl": DANGEROUS,
    "suspicious.pkl": SUSPICIOUS,
    "truncated.pkl": INCONCLUSIVE,
    "weights.bin": new Uint8Array(50).fill(0xf3),
  };
  await store(user, files);
  await settledVerdicts(user, DIRECTORY);

  await t.step("C 20 in trees, paths-info and the status of the repository", async () => {
    const expected = [
      "clean.pkl safe true",
      "dangerous.pkl unsafe false",
      "suspicious.pkl suspicious false",
      "truncated.pkl caution false",
      "weights.bin caution false",
    ];
    assert.deepEqual(statuses(jsonOf(await hub.send("GET", `${API}/tree/main`))), expected);
    const body = { paths: Object.keys(files) };
    assert.deepEqual(statuses(jsonOf(await hub.post(`${API}/paths-info/main`, body))), expected);
    assert.deepEqual(await statusOf(hub), {
      scansDone: true,
      filesWithIssues: [
        { path: "dangerous.pkl", level: "unsafe" },
        { path: "suspicious.pkl", level: "suspicious" },
        { path: "truncated.pkl", level: "caution" },
        { path: "weights.bin", level: "caution" },
      ],
    });
  });
  await t.step(
    "C 20, 31 what the gate refuses is 403 with the reason, by HEAD, GET and ranges",
    async () => {
      const address = "/team/one/resolve/main/dangerous.pkl";
      const reply = await hub.send("GET", address);
      const message = hubRefused(reply, 403, "GatedRepo");
      assert.match(message, /^Cannot download: in quarantine: "dangerous\.pkl" \(dangerous, S\d+/);
      assert.equal(reply.headers.get("X-Error-Message"), message);
      assert.equal(reply.headers.get("Retry-After"), null);
      for (const init of [{ method: "HEAD" }, { headers: { Range: "bytes=0-3" } }]) {
        const other = await hub.send(init.method ?? "GET", address, init);
        assert.deepEqual([other.status, other.headers.get("X-Error-Message")], [403, message]);
        assert.equal(other.headers.get("ETag"), null);
      }
      assert.equal((await hub.send("GET", "/team/one/resolve/main/clean.pkl")).status, 200);
      const audit = await Deno.readTextFile(`${server.dataDir}/audit.log`);
      assert.match(audit, /models\/team\/one\/dangerous\.pkl.*"ErrResourcesQuarantined"/);
    },
  );
  await t.step("C 20 a file with a waiver is safe, and served", async () => {
    const sha256 = (await statOf(user, `${DIRECTORY}/dangerous.pkl`)).sha256;
    const admin = await server.admin();
    const body = { sha256, reason: "a test" };
    assert.equal((await admin.json("POST", "/waivers/", body)).status, 200);
    const [, waived] = statuses(jsonOf(await hub.send("GET", `${API}/tree/main`)));
    assert.equal(waived, "dangerous.pkl safe true");
    assert.equal((await hub.send("GET", "/team/one/resolve/main/dangerous.pkl")).status, 200);
  });
  await t.step("C 20 a verdict changes no commit id", async () => {
    const info: unknown = jsonOf(await hub.send("GET", API));
    assert.ok(typeof info === "object" && info !== null && "sha" in info);
    const head = await hub.send("HEAD", "/team/one/resolve/main/clean.pkl");
    assert.equal(info.sha, head.headers.get("X-Repo-Commit"));
  });
});

Deno.test("C 18, 20, 31 files that wait for a scan are queued, and refused for now", async () => {
  await using server = await TestServer.start({
    settings: { gate: "block" },
    host: new ScanRoom().host,
  });
  const user = await server.as(7);
  const hub = new HubClient(server, user);
  await store(user, { "a.pkl": CLEAN });
  const tree = statuses(jsonOf(await hub.send("GET", `${API}/tree/main`)));
  assert.deepEqual(tree, ["a.pkl queued false"]);
  assert.deepEqual(await statusOf(hub), { scansDone: false, filesWithIssues: [] });
  const reply = await hub.send("GET", "/team/one/resolve/main/a.pkl");
  assert.match(hubRefused(reply, 429, "GatedRepo"), /"a\.pkl" \(pending\)/);
  assert.equal(reply.headers.get("Retry-After"), "5");
});

Deno.test("C 20 with the gate off, files without a scan are unscanned, and failed scans are errors", async () => {
  await using server = await TestServer.start({
    contents: { scan: () => Promise.reject(new ScanFailure("no scanner")) },
  });
  const user = await server.as(7, ...USER_PRIVILEGES, "scans.run", "scans.view");
  const hub = new HubClient(server, user);
  await store(user, { "a.pkl": CLEAN, "b.pkl": DANGEROUS });
  await user.json("POST", "/scans/?wait=60", { path: `${DIRECTORY}/a.pkl` });
  const tree = statuses(jsonOf(await hub.send("GET", `${API}/tree/main`)));
  assert.deepEqual(tree, ["a.pkl error false", "b.pkl unscanned false"]);
  assert.deepEqual(await statusOf(hub), {
    scansDone: false,
    filesWithIssues: [{ path: "a.pkl", level: "error" }],
  });
});
