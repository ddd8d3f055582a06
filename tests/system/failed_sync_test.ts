import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { type Client, refused } from "../support/client.ts";
import { canInjectFaults, InjectedFault } from "../support/injected_fault.ts";
import { checkInvariants } from "../support/invariants.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

const SYNCS = "fsync,fdatasync";

/** A server on a directory whose real path is known, as strace compares paths. */
async function withServer(
  work: (
    parts: { child: ChildServer; one: Client; dataDir: string; log: string },
  ) => Promise<void>,
): Promise<void> {
  await using directory = await TempDir.make();
  const dataDir = `${await Deno.realPath(directory.path)}/data`;
  await using child = await ChildServer.start({ dataDir });
  const one = await child.as(1);
  assert.equal((await one.upload("", { before: "before" })).status, 200);
  await work({ child, one, dataDir, log: `${dataDir}/strongroom.db-wal` });
}

/** The paths of user 1 after a restart. */
async function pathsAfterRestart(dataDir: string): Promise<string[]> {
  await using server = await TestServer.start({ dataDir });
  return (await checkInvariants(server)).map(({ path }) => path).sort();
}

const operations: Record<string, (client: Client) => Promise<unknown>> = {
  upload: async (one) => refused(await one.upload("d", { f: "content" }), 500, "ErrInternal"),
  delete: async (one) => refused(await one.remove({ path: "before" }), 500, "ErrInternal"),
  move: async (one) =>
    refused(await one.move({ source: "before", destination: "moved" }), 500, "ErrInternal"),
};

for (const [name, operation] of Object.entries(operations)) {
  Deno.test({
    name: `C 5.5 a refused ${name} whose commit was not synced is not carried out after a crash`,
    ignore: !canInjectFaults,
    fn: () =>
      withServer(async ({ child, one, dataDir, log }) => {
        {
          await using _fault = await InjectedFault.start(
            child.pid,
            log,
            `${SYNCS}:error=EIO:when=1`,
          );
          await operation(one);
          await child.end("SIGKILL");
        }
        assert.deepEqual(await pathsAfterRestart(dataDir), ["before"]);
      }),
  });
}

Deno.test({
  name: "C 5.5 and C 5.6 the server goes on after a commit that was not synced",
  ignore: !canInjectFaults,
  fn: () =>
    withServer(async ({ child, one, dataDir, log }) => {
      {
        await using _fault = await InjectedFault.start(child.pid, log, `${SYNCS}:error=EIO:when=1`);
        refused(await one.upload("d", { f: "content" }), 500, "ErrInternal");
      }
      assert.equal((await one.upload("", { after: "after" })).status, 200);
      await child.end("SIGKILL");
      assert.deepEqual(await pathsAfterRestart(dataDir), ["after", "before"]);
    }),
});

Deno.test({
  name: "C 5.5 a log that cannot be synced at all ends the process without a reply",
  ignore: !canInjectFaults,
  fn: () =>
    withServer(async ({ child, one, dataDir, log }) => {
      const { pid } = child;
      {
        await using _fault = await InjectedFault.start(
          pid,
          log,
          `${SYNCS}:error=EIO:when=1+`,
        );
        await assert.rejects(one.remove({ path: "before" }));
      }
      // The supervisor starts it again.
      await until(() => child.pid !== pid);
      await until(() => one.list().then(({ status }) => status === 200, () => false));
      await child.end("SIGTERM");
      assert.match(await child.printed(), /Cannot go on.*after a failed commit/);
      // Nothing was swept: either outcome is consistent.
      await pathsAfterRestart(dataDir);
    }),
});

Deno.test({
  name: "C 1 GET /readyz is 503 while the log cannot be synced",
  ignore: !canInjectFaults,
  fn: () =>
    withServer(async ({ child, log }) => {
      const isNow = async (expected: number) => {
        const response = await fetch(`${child.origin}/readyz`);
        await response.body?.cancel();
        return response.status === expected;
      };
      const becomes = (expected: number) => until(() => isNow(expected));
      await becomes(200);
      // Upkeep may meet the failure, too, and be over it before anybody asks.
      await until(async () => {
        await using _fault = await InjectedFault.start(child.pid, log, `${SYNCS}:error=EIO:when=1`);
        for (let asked = 0; asked < 100; asked++) if (await isNow(503)) return true;
        return false;
      });
      await becomes(200);
    }),
});

Deno.test({
  name: "C 2 a sync that fails because the disk is full says so",
  ignore: !canInjectFaults,
  fn: () =>
    withServer(async ({ child, one, dataDir, log }) => {
      {
        // Of the log, of which SQLite does not say why.
        await using _fault = await InjectedFault.start(
          child.pid,
          log,
          `${SYNCS}:error=ENOSPC:when=1`,
        );
        const reply = await one.upload("d", { f: "content" });
        assert.match(refused(reply, 500, "ErrInternal"), /storage is full/);
      }
      const large = new Uint8Array(200_000);
      // Of a staged file, then of a directory that it is published in.
      for (const path of [undefined, `${dataDir}/blobs`]) {
        await using _fault = await InjectedFault.start(
          child.pid,
          path,
          `${SYNCS}:error=ENOSPC:when=1`,
        );
        const reply = await one.upload("", { after: large });
        assert.match(refused(reply, 500, "ErrInternal"), /storage is full/);
      }
      assert.equal((await one.upload("", { after: large })).status, 200);
    }),
});

Deno.test("C 5.5 a temporary file that cannot be removed fails no upload", async () => {
  await using server = await TestServer.start({
    wrap: (tree) => {
      const stage = tree.blobs.stage.bind(tree.blobs);
      tree.blobs.stage = async (content) =>
        Object.defineProperty(await stage(content), Symbol.asyncDispose, {
          value: () => Promise.reject(new Error("a disk hiccup")),
        });
      return tree;
    },
  });
  const one = await server.as(1);
  assert.equal((await one.upload("", { f: "content", g: "content" })).status, 200);
  assert.equal((await one.upload("", { h: "content" })).status, 200);
  assert.ok(server.log.some((line) => line.includes("a disk hiccup")));
});
