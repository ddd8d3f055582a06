import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as v from "valibot";
import { ScanFailure } from "../../core/scans/ports.ts";
import { ScanEntry } from "../../schemas/scans.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { type Client, dataOf, refused } from "../support/client.ts";
import { IN_SQLITE } from "../support/engines.ts";
import { HubClient, jsonOf } from "../support/hub.ts";
import { ScanRoom } from "../support/scan_room.ts";
import { TestServer, type TestServerOptions, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { openSqlite } from "../support/test_database.ts";
import { settledVerdicts, statOf, verdictsOf } from "../support/verdicts.ts";

const SCANNER = [...USER_PRIVILEGES, "scans.run", "scans.view"];
const DIRECTORY = "models/a/b";
/** What one may guess of a stranger, who has the first one. */
const GUESSES = ["7", "1", "2", "3"];

const FilesOfHub = v.array(v.object({ securityFileStatus: v.object({ status: v.string() }) }));

/** Content goes with its last record, not when history gives it up. */
const WITHOUT_HISTORY = { settings: { history: 0 } };

/** A server that records which content it scans for whom. */
async function watchedServer(options: TestServerOptions = {}) {
  const scanned: string[] = [];
  const scanner = { isBroken: false };
  const server = await TestServer.start({
    ...options,
    contents: {
      scan({ hash, name }, { userId }) {
        scanned.push(`${userId} ${name}`);
        if (scanner.isBroken) return Promise.reject(new ScanFailure("It is broken"));
        const sha256 = createHash("sha256").update(name).digest("hex");
        return Promise.resolve({ ...plainScan(1, hash), hashes: { md5: hash, sha256 } });
      },
    },
  });
  const [stranger, guesser] = [await server.as(1, ...SCANNER), await server.as(2, ...SCANNER)];
  return {
    ...{ server, scanned, scanner, stranger, guesser },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Uploads files whose content is their name. */
async function upload(client: Client, names: readonly string[]): Promise<void> {
  await client.upload(DIRECTORY, Object.fromEntries(names.map((name) => [name, name])));
}

async function scan(client: Client, path: string, wait = 60): Promise<ScanEntry> {
  const reply = await client.json("POST", `/scans/?wait=${wait}`, { path });
  return v.parse(ScanEntry, dataOf(reply, 202));
}

/** The verdicts that a user is shown of the guesses, each once, by the place that shows them. */
async function shown(server: TestServer, client: Client): Promise<Record<string, string[]>> {
  const listed = [...(await verdictsOf(client, DIRECTORY)).values()];
  const stats = await Promise.all(GUESSES.map((name) => statOf(client, `${DIRECTORY}/${name}`)));
  const tree = await new HubClient(server, client).send("GET", "/api/models/a/b/tree/main");
  const once = (verdicts: readonly (string | undefined)[]) => [
    ...new Set(verdicts.map((verdict) => verdict ?? "none")),
  ];
  return {
    verdicts: once(listed.map(({ verdict }) => verdict)),
    stat: once(stats.map(({ verdict }) => verdict?.verdict)),
    hub: once(v.parse(FilesOfHub, jsonOf(tree)).map((file) => file.securityFileStatus.status)),
  };
}

Deno.test("C 31 guesses of what a stranger has look alike until they are scanned", async () => {
  await using made = await watchedServer();
  const { server, scanned, stranger, guesser } = made;
  await upload(stranger, ["7"]);
  await scan(stranger, DIRECTORY);
  await upload(guesser, GUESSES);
  const unscanned = { verdicts: ["unscanned"], stat: ["unscanned"], hub: ["unscanned"] };
  assert.deepEqual(await shown(server, guesser), unscanned);
  await scan(guesser, DIRECTORY);
  // Each of them takes the very time of a scan, as it is one.
  assert.deepEqual(scanned, ["1 7", ...GUESSES.map((name) => `2 ${name}`).sort()]);
  assert.deepEqual(await shown(server, guesser), {
    verdicts: ["clean"],
    stat: ["clean"],
    hub: ["safe"],
  });
  await scan(guesser, DIRECTORY);
  assert.equal(scanned.length, 5, "the user's own results are not reused");
});

Deno.test("C 31 the gate refuses guesses of what a stranger has in one way until they are scanned", async () => {
  const room = new ScanRoom();
  room.isOpen = true;
  for (const isBroken of [false, true]) {
    await using made = await watchedServer({ settings: { gate: "block" }, host: room.host });
    const { server, stranger, guesser, scanner } = made;
    scanner.isBroken = isBroken;
    room.isOpen = true;
    await upload(stranger, ["7"]);
    const [verdict] = await settledVerdicts(stranger);
    assert.equal(verdict, `${DIRECTORY}/7 ${isBroken ? "failed" : "clean"}`);
    room.isOpen = false;
    await upload(guesser, GUESSES);
    const pending = { verdicts: ["pending"], stat: ["pending"], hub: ["queued"] };
    assert.deepEqual(await shown(server, guesser), pending);
    for (const name of GUESSES) {
      const path = `${DIRECTORY}/${name}`;
      const reply = await guesser.send("GET", "/resources/download", { query: { path } });
      assert.match(refused(reply, 403, "ErrResourcesQuarantined"), /\(pending\)$/);
      assert.ok(reply.headers.has("Retry-After"));
    }
    const zip = await guesser.send("GET", "/resources/download", { query: { path: DIRECTORY } });
    assert.match(refused(zip, 403, "ErrResourcesQuarantined"), /b\/1" \(pending\).* and others$/);
    scanner.isBroken = false;
    room.isOpen = true;
    assert.deepEqual(
      await settledVerdicts(guesser),
      GUESSES.map((name) => `${DIRECTORY}/${name} clean`).sort(),
    );
  }
});

Deno.test("C 31 a scan that a stranger has requested does not show", async () => {
  const room = new ScanRoom();
  await using made = await watchedServer({ host: room.host });
  const { server, stranger, guesser } = made;
  await upload(stranger, ["7"]);
  await scan(stranger, DIRECTORY, 0);
  await upload(guesser, GUESSES);
  const { verdicts } = await shown(server, guesser);
  assert.deepEqual(verdicts, ["unscanned"]);
});

Deno.test("C 31 verdicts are forgotten with the user's last file of the content, whatever others have", async () => {
  await using made = await watchedServer(WITHOUT_HISTORY);
  const { server, scanned, stranger, guesser } = made;
  await upload(stranger, ["7"]);
  await scan(stranger, DIRECTORY);
  for (const change of ["upload", "replace", "copy"]) {
    await upload(guesser, GUESSES);
    await scan(guesser, DIRECTORY);
    await guesser.remove({ path: DIRECTORY });
    if (change === "replace") {
      for (const name of GUESSES) await guesser.put(`${DIRECTORY}/${name}`, "something else");
      for (const name of GUESSES) await guesser.put(`${DIRECTORY}/${name}`, name);
    } else await upload(guesser, GUESSES);
    if (change === "copy") {
      await guesser.copy({ source: "models", destination: "copies/" });
      await guesser.remove({ path: "copies" });
    }
    const { verdicts } = await shown(server, guesser);
    assert.deepEqual(verdicts, ["unscanned"], change);
    await guesser.remove({ path: DIRECTORY });
  }
  assert.equal((await statOf(stranger, `${DIRECTORY}/7`)).verdict?.verdict, "clean");
  assert.equal(scanned.filter((it) => it.startsWith("1 ")).length, 1);
});

Deno.test("C 31 a file that is removed before its scan fails alike, whatever others have", async () => {
  const room = new ScanRoom();
  await using made = await watchedServer({ ...WITHOUT_HISTORY, host: room.host });
  const { scanned, stranger, guesser } = made;
  await upload(stranger, ["7"]);
  await upload(guesser, GUESSES);
  const queued = await Promise.all(
    GUESSES.map((name) => scan(guesser, `${DIRECTORY}/${name}`, 0)),
  );
  // The content of one is added again, which its scan does not see.
  await guesser.remove({ path: DIRECTORY });
  await upload(guesser, ["7", "1"]);
  room.isOpen = true;
  const errors = new Set<string | null>();
  for (const { id } of queued) {
    await scan(guesser, DIRECTORY);
    const { error } = v.parse(ScanEntry, dataOf(await guesser.send("GET", `/scans/${id}`)));
    errors.add(error);
  }
  assert.deepEqual([...errors], ["1 of 1 files could not be scanned: Removed during the scan"]);
  assert.deepEqual(scanned.toSorted(), ["2 1", "2 7"]);
});

Deno.test({
  name: "C 31 a result of another user is reused, after the time of its scan",
  ignore: !IN_SQLITE,
}, async () => {
  await using directory = await TempDir.make();
  const dataDir = directory.path;
  const room = new ScanRoom();
  room.isOpen = true;
  const options = { settings: { gate: "block" as const }, host: room.host, dataDir };
  const path = `${DIRECTORY}/large`;
  const scanTook = async (milliseconds: number) => {
    await using database = openSqlite(`${dataDir}/strongroom.db`);
    await database.run(`UPDATE scan_results SET took_ms = ${milliseconds}, read_ms = 0`);
  };
  {
    await using made = await watchedServer(options);
    await upload(made.stranger, ["large"]);
    await settledVerdicts(made.stranger);
  }
  await scanTook(3_600_000);
  {
    await using made = await watchedServer(options);
    const { guesser, scanned } = made;
    await upload(guesser, ["large"]);
    await upload(guesser, ["other"]);
    // The scan of another file begins later, and ends.
    while ((await statOf(guesser, `${DIRECTORY}/other`)).verdict?.verdict === "pending");
    assert.deepEqual(scanned, ["2 other"]);
    assert.equal((await statOf(guesser, path)).verdict?.verdict, "pending");
    await made.stranger.bytes({ path });
  }
  await scanTook(1000);
  {
    await using made = await watchedServer(options);
    const { guesser, scanned } = made;
    await settledVerdicts(guesser);
    const [own, other] = [await statOf(guesser, path), await statOf(made.stranger, path)];
    assert.equal(own.verdict?.verdict, "clean");
    assert.ok((own.verdict.scanned_at ?? "") > (other.verdict?.scanned_at ?? ""));
    assert.deepEqual(scanned, []);
    // Of the same user, it is there at once.
    await guesser.copy({ source: path, destination: "copies/" });
    assert.equal((await statOf(guesser, "copies/large")).verdict?.verdict, "clean");
  }
});

Deno.test("C 18 and C 31 what an administrator scans is the copy of its owner", async () => {
  await using made = await watchedServer();
  const { server, scanned, stranger, guesser } = made;
  await upload(stranger, ["7"]);
  await upload(guesser, ["7", "1"]);
  const admin = await server.admin();
  const { id } = await statOf(stranger, `${DIRECTORY}/7`);
  const reply = await admin.json("POST", "/scans/?wait=60", { id });
  assert.equal(v.parse(ScanEntry, dataOf(reply, 202)).status, "completed");
  assert.deepEqual(scanned, ["1 7"]);
  assert.equal((await statOf(stranger, `${DIRECTORY}/7`)).verdict?.verdict, "clean");
  assert.equal((await statOf(guesser, `${DIRECTORY}/7`)).verdict?.verdict, "unscanned");
});
