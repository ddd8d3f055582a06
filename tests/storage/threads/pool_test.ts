import * as assert from "node:assert/strict";
import { WorkerPool } from "../../../storage/threads/pool.ts";
import { until } from "../../support/until.ts";
import type { Remote } from "../../../storage/threads/rpc.ts";
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

Deno.test("WorkerPool shares a worker between those who ask for that", async () => {
  using pool = new WorkerPool<Target>(MODULE, 4, {});
  using own = pool.acquire();
  {
    using first = pool.acquireShared();
    using second = pool.acquireShared();
    using other = pool.acquire();
    assert.equal(first.remote, second.remote);
    assert.notEqual(first.remote, own.remote);
    assert.notEqual(first.remote, other.remote);
    const never = first.remote.never();
    first.remote.crash().catch(() => {});
    await assert.rejects(never, /crashed/);
    using third = pool.acquireShared();
    assert.equal(await third.remote.add(1, 2), 3);
    using fourth = pool.acquireShared();
    assert.equal(fourth.remote, third.remote);
  }
  using _busy = pool.acquire();
  using later = pool.acquireShared();
  assert.notEqual(later.remote, own.remote);
  assert.equal(await later.remote.add(1, 2), 3);
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

Deno.test("WorkerPool ends a worker that is not used any more, and no other", async () => {
  using pool = new WorkerPool<Target>(MODULE, 2, {}, { maxUnusedMs: 1 });
  using used = pool.acquire();
  const { remote } = used;
  {
    using second = pool.acquire();
    assert.equal(await second.remote.count(), 1);
  }
  {
    using again = pool.acquire();
    assert.equal(await again.remote.count(), 2);
  }
  await until(async () => {
    using third = pool.acquire();
    const counted = await third.remote.count();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return counted === 1;
  });
  assert.equal(await remote.count(), 1);
});

Deno.test("WorkerPool lets a worker finish before it ends in order", async () => {
  const finished: number[] = [];
  const finish = async (remote: Remote<Target>) => void finished.push(await remote.count());
  {
    using pool = new WorkerPool<Target>(MODULE, 1, {}, { maxUnusedMs: 1, finish });
    {
      using worker = pool.acquire();
      assert.equal(await worker.remote.count(), 1);
    }
    await until(() => finished.length === 1);
  }
  {
    await using pool = new WorkerPool<Target>(MODULE, 1, {}, { finish });
    using _worker = pool.acquire();
  }
  assert.deepEqual(finished, [2, 1]);
});
