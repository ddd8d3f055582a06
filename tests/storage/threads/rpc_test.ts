import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { RemoteWorker } from "../../../storage/threads/rpc.ts";
import type { Target } from "./rpc_target.ts";

const MODULE = new URL("./rpc_target.ts", import.meta.url);

Deno.test("RemoteWorker calls methods in another thread", async (t) => {
  using worker = new RemoteWorker<Target>(MODULE, {});
  const { remote } = worker;
  await t.step("with structured arguments and results", async () => {
    assert.equal(await remote.add(1, 2), 3);
    assert.deepEqual(
      await remote.echo(new Map([["a", [undefined, null]]])),
      new Map([["a", [undefined, null]]]),
    );
    assert.equal(await remote.nothing(), undefined);
  });
  await t.step("in order", async () => {
    assert.deepEqual(await Promise.all([1, 2, 3].map(() => remote.count())), [1, 2, 3]);
  });
  await t.step("and transfers bytes instead of copying them", async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const back = await remote.echo(bytes.subarray(1));
    assert.deepEqual(back, new Uint8Array([2, 3]));
    assert.equal(bytes.length, 0);
  });
  await t.step("and throws what they throw", async () => {
    await assert.rejects(remote.refuse(), (error) => {
      assert.ok(error instanceof AppError);
      assert.deepEqual([error.kind, error.message], ["ErrResourcesConflict", "refused there"]);
      return true;
    });
    await assert.rejects(remote.fail(), (error) => {
      assert.ok(error instanceof Error && "code" in error);
      assert.deepEqual([error.name, error.code, error.message], ["TypeError", "ENOSPC", "failed"]);
      assert.match(error.stack ?? "", /rpc_target/);
      return true;
    });
    await assert.rejects(Reflect.get(remote, "missing")(), /No method "missing"/);
  });
});

Deno.test("RemoteWorker rejects all calls once its worker has failed or was terminated", async () => {
  using worker = new RemoteWorker<Target>(MODULE, {});
  const never = worker.remote.never();
  worker.remote.crash().catch(() => {});
  await assert.rejects(never, /Worker failed: .*crashed/);
  await assert.rejects(worker.remote.add(1, 2), /Worker failed/);
  using other = new RemoteWorker<Target>(MODULE, {});
  const pending = other.remote.never();
  other[Symbol.dispose]();
  await assert.rejects(pending, /terminated/);
});
