import * as assert from "node:assert/strict";
import { AppError } from "../../../core/errors.ts";
import { Revisions } from "../../../core/hub/revisions.ts";
import type {
  HubStore,
  PageRequest,
  RepositoryPage,
  RepositoryVersion,
} from "../../../core/hub/store.ts";
import type { ResourceRecord, StoredRecords } from "../../../core/ports.ts";
import { changesOf } from "../../../core/tree/change_set.ts";

const ONE = { userId: 7, directory: "models/team/one" };

/** A store whose repositories have one file each, with a digest that a test chooses. */
class FakeStore implements HubStore {
  digest: string | undefined = "a";
  pages = 0;
  /** Called before a read returns. */
  onRead: () => void | Promise<void> = () => {};
  /** Called when a reader waits for the announcement of what it may have seen. */
  onPublished: () => void = () => {};
  /** Raised by other servers. */
  version = 0;
  /** Another one when the database has gone back. */
  epoch = "a";

  blobIds(): Promise<Map<string, string>> {
    throw new Error("Not asked for");
  }

  async page({ directory }: PageRequest): Promise<RepositoryPage> {
    this.pages++;
    const { digest } = this;
    await Promise.resolve();
    await this.onRead();
    return {
      text: new TextEncoder().encode(`${digest}  ${directory}\n`),
      count: 1,
      next: undefined,
      modifiedAt: 5,
      withoutSha256: digest === undefined ? "f" : undefined,
      issues: [],
      unscanned: 0,
    };
  }

  at(): never {
    throw new Error("Not called");
  }

  repositories(): never {
    throw new Error("Not called");
  }

  versionOf(): Promise<RepositoryVersion> {
    this.onPublished();
    return Promise.resolve({ epoch: this.epoch, changes: this.version });
  }

  keepRevision(): never {
    throw new Error("Not called");
  }
}

function record(path: string, userId = 7): ResourceRecord {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const rest = { hash: "", size: 0, crc32: 0, isDir: true, createdAt: 1, updatedAt: 1 };
  return { id: 1, userId, path, name, ...rest };
}

Deno.test("C 20 a revision is kept until a change of its repository", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store);
  const first = await revisions.of(ONE);
  assert.match(first.commitId, /^[0-9a-f]{40}$/);
  assert.equal(first.modifiedAt, 5);
  const keep = [
    changesOf("added", [record("models/team/two/f"), record("models/team"), record("f")]),
    changesOf("updated", [record("models/team/one/f", 8), record("models/team/one2")]),
    { ...changesOf("updated", []), former: [record("models/team/two"), record("models/x", 8)] },
  ];
  revisions.committed(keep);
  assert.equal(await revisions.of(ONE), first);
  assert.equal(store.pages, 1);
  const drop = [
    changesOf("added", [record("models/team/one/sub/f")]),
    changesOf("updated", [record("models/team/one")]),
    changesOf("deleted", [record("models/team/one/f")]),
    { ...changesOf("updated", []), former: [record("models/team/one")] },
    { ...changesOf("updated", []), former: [record("models/team")] },
    { ...changesOf("updated", []), former: [record("models")] },
  ];
  for (const [index, change] of drop.entries()) {
    revisions.committed([change]);
    await revisions.of(ONE);
    assert.equal(store.pages, index + 2);
  }
});

Deno.test("C 20 a read belongs to its revision, whenever a change is announced", async (t) => {
  const change = [changesOf("updated", [record("models/team/one/f")])];
  const start = async () => {
    const store = new FakeStore();
    const revisions = new Revisions(store);
    const former = await revisions.of(ONE);
    return { store, revisions, former };
  };
  await t.step("C 20 while a result is read", async () => {
    const { store, revisions, former } = await start();
    const discarded: string[] = [];
    const read = async ({ commitId }: { commitId: string }) => {
      if (commitId === former.commitId) {
        store.digest = "b";
        revisions.committed(change);
      }
      await Promise.resolve();
      return `${commitId} ${store.digest}`;
    };
    const discard = (result: string) => Promise.resolve(void discarded.push(result));
    const result = await revisions.during(ONE, read, discard);
    const { commitId } = await revisions.of(ONE);
    assert.notEqual(commitId, former.commitId);
    assert.equal(result, `${commitId} b`);
    assert.deepEqual(discarded, [`${former.commitId} b`]);
  });
  await t.step("C 20 after a read has seen it", async () => {
    const { store, revisions, former } = await start();
    store.digest = "b";
    store.onPublished = () => {
      store.onPublished = () => {};
      revisions.committed(change);
    };
    const result = await revisions.during(ONE, ({ commitId }) => Promise.resolve(commitId));
    assert.notEqual(result, former.commitId);
  });
  await t.step("C 20 while the commit id is computed", async () => {
    const { store, revisions } = await start();
    revisions.committed(change);
    store.onRead = () => {
      store.onRead = () => {};
      store.digest = "b";
      revisions.committed(change);
    };
    const { commitId } = await revisions.of(ONE);
    assert.equal(store.pages, 3);
    revisions.committed(change);
    assert.equal((await revisions.of(ONE)).commitId, commitId);
  });
  await t.step("C 20 an error belongs to a revision as well", async () => {
    const { revisions, former } = await start();
    let reads = 0;
    const read = ({ commitId }: { commitId: string }) => {
      reads++;
      if (reads === 1) revisions.committed(change);
      return Promise.reject(new Error(commitId === former.commitId ? "it" : "another"));
    };
    await assert.rejects(revisions.during(ONE, read), /^Error: it$/);
    assert.equal(reads, 2);
  });
});

Deno.test("C 20 a repository that keeps changing, or has a file without SHA-256, is refused for now", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store);
  store.onPublished = () =>
    revisions.committed([changesOf("added", [record("models/team/one/f")])]);
  const isLater = (error: unknown) => error instanceof AppError && error.kind === "ErrUnavailable";
  await assert.rejects(revisions.of(ONE), isLater);
  assert.ok(store.pages <= 20);
  store.onPublished = () => {};
  store.digest = undefined;
  await assert.rejects(
    revisions.of(ONE),
    /"models\/team\/one" is not known yet: .*"f" is not known/,
  );
  store.digest = "a";
  await revisions.of(ONE);
});

Deno.test("C 20 requests share the computation of a revision, and few are kept", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store, 2);
  await Promise.all([revisions.of(ONE), revisions.of(ONE), revisions.of(ONE)]);
  assert.equal(store.pages, 1);
  await revisions.of({ ...ONE, directory: "models/team/two" });
  await revisions.of(ONE);
  await revisions.of({ ...ONE, directory: "models/team/three" });
  await revisions.of(ONE);
  assert.equal(store.pages, 3);
  await revisions.of({ ...ONE, directory: "models/team/two" });
  assert.equal(store.pages, 4);
});

Deno.test("C 20 and C 23 a change of another server counts, also during a read", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store);
  const first = await revisions.of(ONE);
  Object.assign(store, { digest: "b", version: 1 });
  const second = await revisions.of(ONE);
  assert.notEqual(second.commitId, first.commitId);
  let reads = 0;
  const seen = await revisions.during(ONE, ({ commitId }) => {
    if (reads++ === 0) Object.assign(store, { digest: "c", version: 2 });
    return Promise.resolve(commitId);
  });
  assert.equal(reads, 2);
  assert.equal(seen, (await revisions.of(ONE)).commitId);
  assert.notEqual(seen, second.commitId);
});

Deno.test("C 20 and C 23 a database that goes back to a former state has another revision", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store);
  store.version = 5;
  const first = await revisions.of(ONE);
  Object.assign(store, { digest: "b", version: 3, epoch: "b" });
  const second = await revisions.of(ONE);
  assert.notEqual(second.commitId, first.commitId);
  assert.equal(await revisions.of(ONE), second);
});

Deno.test("C 20 and C 23 a change that leaves the files as they were makes no revision another one", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store);
  const first = await revisions.of(ONE);
  let version = 0;
  const seen = await revisions.during(ONE, (revision) => {
    Object.assign(store, { version: ++version });
    return Promise.resolve(revision);
  });
  assert.equal(version, 1);
  assert.equal(seen, first);
  assert.equal(store.pages, 2);
  Object.assign(store, { version: 2 });
  const all = await Promise.all([first, first].map((it) => revisions.isCurrent(ONE, it)));
  assert.deepEqual(all, [true, true]);
});

Deno.test("C 31 a large change elsewhere leaves a revision, however many records it has", async () => {
  const store = new FakeStore();
  const revisions = new Revisions(store);
  const first = await revisions.of(ONE);
  const elsewhere = [
    "d",
    "models/team/two",
    "models/other",
    "datasets/team/one",
    "models/team/one2",
  ];
  for (const path of elsewhere) {
    const roots = [{ userId: 7, path }];
    revisions.committed([
      changesOf("deleted", new ManyRecords(7), roots),
      { ...changesOf("updated", new ManyRecords(7), roots), former: roots },
    ]);
  }
  revisions.committed([changesOf("deleted", new ManyRecords(8))]);
  const many = Array.from({ length: 2000 }, (_, index) => record(`models/team/two/${index}`));
  revisions.committed([changesOf("added", many)]);
  assert.equal(await revisions.of(ONE), first);
  assert.equal(store.pages, 1);

  for (const [index, path] of ["models/team/one", "models/team", "models"].entries()) {
    const roots = [{ userId: 7, path }];
    revisions.committed([changesOf("deleted", new ManyRecords(7), roots)]);
    await revisions.of(ONE);
    assert.equal(store.pages, index + 2, path);
  }
  revisions.committed([changesOf("deleted", new ManyRecords(7))]);
  await revisions.of(ONE);
  assert.equal(store.pages, 5);
});

/** Records that are not in memory. */
class ManyRecords implements StoredRecords {
  readonly length = 1_000_000;
  readonly bytes = 1;
  readonly owners: ReadonlyMap<number, number>;

  constructor(userId: number) {
    this.owners = new Map([[userId, this.length]]);
  }

  from(): never {
    throw new Error("Nothing looks at each of them");
  }

  ownedBy(): never {
    throw new Error("Not called");
  }

  share(): never {
    throw new Error("Not called");
  }

  [Symbol.dispose](): void {}
}
