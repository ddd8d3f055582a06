import * as assert from "node:assert/strict";
import { WorkerPool } from "../../../storage/threads/pool.ts";
import type { Target } from "./rpc_target.ts";

const MODULE = new URL("./rpc_target.ts", import.meta.url);

Deno.test("WorkerPool starts workers as needed, and returns the least busy one", async () => {
  using pool = new WorkerPool<Target>(MODULE, 2, {});
  using first = pool.acquire();
  assert.equal(await first.remote.count(), 1);
  {
    using second = pool.acquire();
    assert.equal(await second.remote.count(), 1);
    using third = pool.acquire();
    assert.equal(await third.remote.count(), 2);
  }
  using fourth = pool.acquire();
  assert.notEqual(fourth.remote, first.remote);
});

Deno.test("WorkerPool replaces a worker that has failed", async () => {
  using pool = new WorkerPool<Target>(MODULE, 1, {});
  {
    using worker = pool.acquire();
    const never = worker.remote.never();
    worker.remote.crash().catch(() => {});
    await assert.rejects(never, /crashed/);
  }
  using again = pool.acquire();
  assert.equal(await again.remote.add(1, 2), 3);
});
