import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { untilAborted } from "../../core/event_loop.ts";
import { MIB } from "../../schemas/units.ts";
import { plainScan } from "../core/scanner/plain_scan.ts";
import { type Client, dataOf } from "../support/client.ts";
import { TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";

const SCANNER = [...USER_PRIVILEGES, "scans.run", "scans.view"];

/** Leases of a busy host with two cores, by its load. */
const LOAD = { oneLease: 100, twoLeases: 4 };

/** A server on a busy host, on which the scan of a file ends when a test lets it. */
async function busyServer(LoadAvg1m: number) {
  const begun: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gateOf = (name: string) => {
    const gate = gates.get(name) ?? Promise.withResolvers<void>();
    gates.set(name, gate);
    return gate;
  };
  const [MemTotalMB, MemAvailableMB, DiskFreeMB] = [100_000, 100_000, 100_000];
  const server = await TestServer.start({
    settings: { gate: "mark" },
    host: { stats: () => ({ CPUCores: 2, LoadAvg1m, MemTotalMB, MemAvailableMB, DiskFreeMB }) },
    contents: {
      async scan({ hash, name }, { signal }) {
        begun.push(name);
        if (name.startsWith("slow")) await untilAborted(gateOf(name).promise, signal);
        const sha256 = createHash("sha256").update(contentOf(name)).digest("hex");
        return { ...plainScan(1, hash), hashes: { md5: hash, sha256 } };
      },
    },
  });
  const [one, two] = [await server.as(1, ...SCANNER), await server.as(2, ...SCANNER)];
  return {
    ...{ server, begun, one, two },
    end: (name: string) => gateOf(name).resolve(),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Content that is large if its name says so. */
function contentOf(name: string): string {
  return name.includes("large") ? name.padEnd(MIB + 1) : name;
}

async function upload(client: Client, directory: string, ...names: string[]): Promise<void> {
  await client.upload(directory, Object.fromEntries(names.map((name) => [name, contentOf(name)])));
}

Deno.test("C 14 and C 18 a small file does not wait for the large ones of another user", async () => {
  await using made = await busyServer(LOAD.oneLease);
  const { begun, one, two } = made;
  await upload(one, "", "slow large 1", "slow large 2", "slow large 3");
  await until(() => begun.length === 1);
  await upload(two, "", "hello.txt");
  assert.deepEqual(await settledVerdicts(two), ["hello.txt clean"]);
  assert.deepEqual(begun, ["slow large 1", "hello.txt"]);
});

Deno.test("C 14 and C 15 a small file of a requested scan does not wait for large files", async () => {
  await using made = await busyServer(LOAD.oneLease);
  const { begun, one, two } = made;
  await upload(one, "", "slow large 1", "slow large 2");
  await until(() => begun.length === 1);
  await upload(two, "", "hello.txt");
  const reply = await two.json("POST", "/scans/?wait=60", { path: "hello.txt" });
  assert.equal((dataOf(reply, 202) as { status: string }).status, "completed");
  assert.deepEqual(begun, ["slow large 1", "hello.txt"]);
});

Deno.test("C 18 a file is taken only when there is a lease for it, so users take turns", async () => {
  await using made = await busyServer(LOAD.oneLease);
  const { begun, one, two, end } = made;
  const names = ["slow large 1", "slow large 2", "slow large 3"];
  await upload(one, "", ...names);
  await until(() => begun.length === 1);
  await upload(two, "", "other large");
  for (const name of names) end(name);
  await settledVerdicts(one);
  await settledVerdicts(two);
  assert.deepEqual(begun, ["slow large 1", "other large", "slow large 2", "slow large 3"]);
});

Deno.test("C 18 what waits for the scan of the same content holds no lease", async () => {
  await using made = await busyServer(LOAD.twoLeases);
  const { begun, one, two, end } = made;
  await upload(one, "a", "slow large");
  await until(() => begun.length === 1);
  // It has the same content under the same name, and its turn comes before that of the others.
  await upload(one, "b", "slow large");
  await upload(two, "", "large 1", "large 2");
  assert.deepEqual(await settledVerdicts(two), ["large 1 clean", "large 2 clean"]);
  end("slow large");
  assert.deepEqual(await settledVerdicts(one), ["a/slow large clean", "b/slow large clean"]);
  assert.deepEqual(begun.toSorted(), ["large 1", "large 2", "slow large"]);
});
