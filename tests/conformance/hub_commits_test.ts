import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { AppError, type ErrorKind } from "../../core/errors.ts";
import type { Operation } from "../../core/hub/ports.ts";
import { findPast } from "../../core/hub/past_revisions.ts";
import { requireRevision } from "../../core/hub/read_revision.ts";
import { findObjects } from "../../core/hub/lfs_objects.ts";
import type { Client } from "../support/client.ts";
import {
  callerWith,
  commitTo,
  file,
  lfsFile,
  park,
  REPOSITORY,
  sha256Of,
} from "../support/commits.ts";
import { checkInvariants } from "../support/invariants.ts";
import { noise } from "../support/random.ts";
import { TestServer, type TestServerOptions, withRecords } from "../support/server.ts";
import { waitingIn } from "../support/stored_content.ts";

const ONE = callerWith(1);
const REPOSITORY_OF_ONE = {
  kind: "models",
  id: REPOSITORY.slice("models/".length),
  userId: 1,
  directory: REPOSITORY,
} as const;

interface Scene {
  readonly server: TestServer;
  readonly client: Client;
  /** Commits as user 1. */
  readonly commit: (
    operations: Iterable<Operation> | AsyncIterable<Operation>,
    parentCommit?: string,
  ) => ReturnType<typeof commitTo>;
}

/** Runs a test with an empty repository, and checks the invariants at its end. */
function test(
  name: string,
  work: (scene: Scene) => Promise<void>,
  options: TestServerOptions = {},
): void {
  Deno.test(name, async () => {
    await using server = await TestServer.start(options);
    const client = await server.as(1);
    await client.mkdir(REPOSITORY);
    await work({
      server,
      client,
      commit: (operations, parentCommit) => commitTo(server.hub, ONE, operations, parentCommit),
    });
    await checkInvariants(server);
  });
}

async function refuses(result: Promise<unknown>, kind: ErrorKind, message: RegExp): Promise<void> {
  await assert.rejects(result, (error) => {
    assert.ok(error instanceof AppError, String(error));
    assert.equal(error.kind, kind);
    assert.match(error.message, message);
    return true;
  });
}

/** The files of the repository with their content. */
async function contents(client: Client): Promise<Record<string, string>> {
  const paths = await client.paths({ path: REPOSITORY, recursive: "true" });
  const found: Record<string, string> = {};
  for (const path of paths) {
    const reply = await client.file("GET", path);
    if (reply.status === 200) found[path.slice(REPOSITORY.length + 1)] = reply.text;
  }
  return found;
}

async function parkedFiles({ dataDir }: TestServer): Promise<number> {
  return (await waitingIn(dataDir)).length;
}

/** The id that C 20 specifies, of files by their path in byte order. */
function commitIdOf(files: Readonly<Record<string, string>>): string {
  const lines = Object.keys(files).sort().map((path) =>
    `${sha256Of(files[path] ?? "")}  ${path}\n`
  );
  return createHash("sha256").update(lines.join("")).digest("hex").slice(0, 40);
}

test("C 20 a commit carries out all kinds of operations", async ({ server, client, commit }) => {
  const large = noise(200_000);
  await client.upload(REPOSITORY, { "old": "old", "same": "same", "gone": "gone" });
  await client.upload(`${REPOSITORY}/folder`, { "a": "a", "b": "b" });
  await park(server.hub, ONE, large);
  await park(server.hub, ONE, "small object");
  const { commitOid } = await commit([
    file("old", "new"),
    file("same", "same"),
    file("deep/er/added", "added"),
    lfsFile("weights", large),
    lfsFile("weights again", large),
    lfsFile("small", "small object"),
    lfsFile("shared", "old"),
    { kind: "copyFile", from: "folder/a", path: "copied" },
    { kind: "deletedFile", path: "gone" },
    { kind: "deletedFolder", path: "folder/" },
    file("folder/c", "c"),
  ]);
  const expected = {
    "old": "new",
    "same": "same",
    "deep/er/added": "added",
    "small": "small object",
    "shared": "old",
    "copied": "a",
    "folder/c": "c",
  };
  const { weights, "weights again": again, ...found } = await contents(client);
  assert.deepEqual(found, expected);
  assert.equal(weights, again);
  assert.deepEqual(await client.bytes({ path: `${REPOSITORY}/weights` }), large);
  assert.equal(await parkedFiles(server), 0);
  assert.equal(commitOid, await server.hub.revisions.commitIdOf(1, REPOSITORY));
});

test("C 20 a commit is one set of events, deletions first", async ({ client, commit }) => {
  await client.upload(`${REPOSITORY}/folder`, { "a": "a" });
  await client.upload(REPOSITORY, { "old": "old" });
  await using events = await client.events();
  await commit([
    file("old", "new"),
    file("x/added", "added"),
    { kind: "deletedFolder", path: "folder" },
  ]);
  const received: string[] = [];
  for (let count = 0; count < 5; count++) {
    const event = await events.next();
    received.push(`${event?.event} ${JSON.parse(event?.data ?? "{}").path}`);
  }
  assert.deepEqual(received, [
    `resource.deleted ${REPOSITORY}/folder`,
    `resource.deleted ${REPOSITORY}/folder/a`,
    `resource.added ${REPOSITORY}/x`,
    `resource.added ${REPOSITORY}/x/added`,
    `resource.updated ${REPOSITORY}/old`,
  ]);
});

test("C 20 a commit id follows from paths and SHA-256", async ({ commit }) => {
  const first = await commit([file("b", "2"), file("a/x", "1"), file("a.txt", "3")]);
  assert.equal(first.commitOid, commitIdOf({ "b": "2", "a/x": "1", "a.txt": "3" }));
  const same = await commit([file("b", "2"), lfsFile("a/x", "1")]);
  assert.equal(same.commitOid, first.commitOid);
  assert.deepEqual(same.changes.map(({ records }) => records.length), [0, 0, 0]);
  const second = await commit([{ kind: "deletedFile", path: "b" }]);
  assert.equal(second.commitOid, commitIdOf({ "a/x": "1", "a.txt": "3" }));
});

let transactions = 0;
test(
  "C 20 a commit of 1 000 files is one transaction",
  async ({ commit }) => {
    const operations = Array.from({ length: 1000 }, (_, index) => file(`f/${index}`, `${index}`));
    const before = transactions;
    const { changes } = await commit(operations);
    assert.equal(transactions - before, 1);
    assert.equal(changes.reduce((sum, { records }) => sum + records.length, 0), 1001);
  },
  withRecords((records) => ({
    write(work, options) {
      transactions++;
      return records.write(work, options);
    },
  })),
);

const REFUSED: readonly {
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly kind: ErrorKind;
  readonly message: RegExp;
}[] = [
  {
    name: "whose last operation deletes a missing file",
    operations: [{ kind: "deletedFile", path: "missing" }],
    kind: "ErrHubEntryNotFound",
    message: /team\/model\/missing" not found/,
  },
  {
    name: "that deletes a file as a folder",
    operations: [{ kind: "deletedFolder", path: "kept" }],
    kind: "ErrHubEntryNotFound",
    message: /kept" not found/,
  },
  {
    name: "that deletes a folder as a file",
    operations: [{ kind: "deletedFile", path: "folder" }],
    kind: "ErrHubEntryNotFound",
    message: /folder" not found/,
  },
  {
    name: "that copies a missing file",
    operations: [{ kind: "copyFile", from: "missing", path: "copy" }],
    kind: "ErrHubEntryNotFound",
    message: /missing" not found/,
  },
  {
    name: "with content that was not sent",
    operations: [lfsFile("a", "nobody has sent this")],
    kind: "ErrResourcesInvalidData",
    message: /was not sent/,
  },
  {
    name: "with another size than the content has",
    operations: [{ kind: "lfsFile", path: "a", sha256: sha256Of("kept"), size: 3 }],
    kind: "ErrResourcesInvalidData",
    message: /was not sent/,
  },
  {
    name: "with two operations on one path",
    operations: [file("a/b", "1"), { kind: "deletedFile", path: "a//b" }],
    kind: "ErrResourcesInvalidRequest",
    message: /two operations have the path "a\/\/b"/,
  },
  {
    name: "with a path that leaves the repository",
    operations: [file("../other/a", "1")],
    kind: "ErrResourcesInvalidRequest",
    message: /Invalid path/,
  },
  {
    name: "that copies from outside of the repository",
    operations: [{ kind: "copyFile", from: "../../x", path: "a" }],
    kind: "ErrResourcesInvalidRequest",
    message: /Invalid path/,
  },
  {
    name: "that puts a file over a directory",
    operations: [file("folder", "1")],
    kind: "ErrResourcesAlreadyExists",
    message: /it is a directory/,
  },
  {
    name: "that puts a file below a file",
    operations: [file("kept/below", "1")],
    kind: "ErrResourcesAlreadyExists",
    message: /kept" is a file/,
  },
  {
    name: "that adds a file below another one of its own",
    operations: [file("x", "1"), lfsFile("x/y", "kept")],
    kind: "ErrResourcesAlreadyExists",
    message: /below it/,
  },
];

for (const { name, operations, kind, message } of REFUSED) {
  test(`C 20 refuses a commit ${name}, and changes nothing`, async ({ server, client, commit }) => {
    await client.upload(REPOSITORY, { "kept": "kept" });
    await client.upload(`${REPOSITORY}/folder`, { "a": "a" });
    await park(server.hub, ONE, "waiting");
    const former = await contents(client);
    await using events = await client.events();
    const others = [
      file("first", "1"),
      file("kept2", "2"),
      lfsFile("object", "waiting"),
      { kind: "deletedFile", path: "folder/a" },
    ] as const;
    await refuses(commit([...others, ...operations]), kind, message);
    assert.deepEqual(await contents(client), former);
    assert.deepEqual(await findObjects(server.hub, ONE, [pointerTo("waiting")]), [true]);
    await client.mkdir("next");
    assert.match((await events.next())?.data ?? "", /"path":"next"/);
    await commit(others);
  });
}

test("C 20 a commit may put a file in the place of a folder that it deletes, and the other way round", async ({ client, commit }) => {
  await client.upload(`${REPOSITORY}/folder/in`, { "a": "a" });
  await client.upload(REPOSITORY, { "file": "file" });
  await commit([
    { kind: "deletedFolder", path: "folder" },
    { kind: "deletedFolder", path: "folder/in" },
    { kind: "deletedFile", path: "folder/in/a" },
    file("folder", "a file now"),
    { kind: "deletedFile", path: "file" },
    { kind: "copyFile", from: "folder/in/a", path: "file/below" },
  ]);
  assert.deepEqual(await contents(client), { "folder": "a file now", "file/below": "a" });
});

test("C 20 copies are of the state before the commit", async ({ client, commit }) => {
  await client.upload(REPOSITORY, { "a": "1", "b": "2" });
  await commit([
    { kind: "copyFile", from: "a", path: "b" },
    { kind: "copyFile", from: "b", path: "c" },
    file("a", "3"),
  ]);
  assert.deepEqual(await contents(client), { "a": "3", "b": "1", "c": "2" });
});

test("C 20 a commit needs the privileges of what it does", async ({ server, client }) => {
  await client.upload(REPOSITORY, { "a": "1", "b": "2" });
  const commitWith = (operation: Operation, ...privileges: string[]) =>
    commitTo(server.hub, callerWith(1, "resources.view", ...privileges), [
      file("new", "1"),
      operation,
    ]);
  const cases: readonly [Operation, string][] = [
    [file("a", "2"), "edit"],
    [lfsFile("a", "2"), "edit"],
    [{ kind: "copyFile", from: "a", path: "c" }, "edit"],
    [{ kind: "deletedFile", path: "b" }, "delete"],
    [{ kind: "deletedFolder", path: "new" }, "delete"],
  ];
  for (const [operation, privilege] of cases) {
    const refused = commitWith(operation, "resources.upload", "resources.view");
    await refuses(refused, "ErrNotPermitted", new RegExp(`resources\\.${privilege} required`));
  }
  assert.deepEqual(await contents(client), { "a": "1", "b": "2" });
  await commitWith(file("a", "1"), "resources.upload");
  await commitWith(file("a", "2"), "resources.upload", "resources.edit");
  await commitWith({ kind: "deletedFile", path: "b" }, "resources.upload", "resources.delete");
  assert.deepEqual(await contents(client), { "a": "2", "new": "1" });
});

test("C 20 of two commits on one parent, one wins", async ({ client, commit }) => {
  const { commitOid: parent } = await commit([file("a", "0")]);
  const outcomes = await Promise.allSettled(
    Array.from({ length: 8 }, (_, index) => commit([file(`f${index}`, `${index}`)], parent)),
  );
  const refused = outcomes.flatMap((it) => it.status === "rejected" ? [it.reason] : []);
  assert.equal(refused.length, 7);
  for (const reason of refused) {
    await refuses(Promise.reject(reason), "ErrPreconditionFailed", /A commit has happened since/);
  }
  assert.equal(Object.keys(await contents(client)).length, 2);
  await refuses(commit([file("b", "1")], parent), "ErrPreconditionFailed", /has happened/);
});

test(
  "C 26 the reply to a commit has its own commit id, whatever others commit meanwhile",
  async ({ server }) => {
    const { hub } = server;
    const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
    const replies = await Promise.all(names.map(async (name) => {
      const { commitOid } = await commitTo(hub, ONE, [file(name, name)]);
      return { name, commitOid };
    }));
    const { history } = hub.tree.records;
    assert.ok(history !== undefined);
    for (const { name, commitOid } of replies) {
      const place = await findPast(hub, REPOSITORY_OF_ONE, commitOid);
      assert.ok(place !== undefined);
      const path = `${REPOSITORY}/${name}`;
      const { changes: [added] } = await history.log({ userId: 1, path, limit: 1 });
      assert.equal(place.past.version, added?.version);
    }
  },
  { settings: { history: 86_400_000 } },
);

test(
  "C 26 a repository that changes while it is read is read as it was at a version",
  async ({ server, client, commit }) => {
    const { hub } = server;
    const { commitOid } = await commit([file("a", "first")]);
    // Nobody has read what it is now.
    await client.put(`${REPOSITORY}/a`, "second");
    const { store } = hub;
    const { page } = store;
    let changes = 0;
    store.page = async (request) => {
      const found = await page.call(store, request);
      if (request.past === undefined) {
        assert.equal((await client.put(`${REPOSITORY}/a`, `${changes++}`)).status, 200);
      }
      return found;
    };
    const main = await requireRevision(hub, REPOSITORY_OF_ONE, "main");
    assert.ok(main.past !== undefined && changes > 1);
    assert.equal(main.commitId, commitIdOf({ "a": `${changes - 1}` }));
    assert.equal((await requireRevision(hub, REPOSITORY_OF_ONE, commitOid)).commitId, commitOid);
  },
  { settings: { history: 86_400_000 } },
);

test(
  "C 26 an earlier commit is found, however many others make at the same time",
  async ({ server, client }) => {
    // Nobody has been told its id.
    await client.put(`${REPOSITORY}/a`, "first");
    const commitOid = commitIdOf({ "a": "first" });
    let changes = 0;
    const change = async (count: number) => {
      const name = () => `${REPOSITORY}/${changes++}`;
      await Promise.all(Array.from({ length: count }, () => client.put(name(), "content")));
    };
    // A request computes the ids of 100 versions.
    await change(150);
    const find = () => findPast(server.hub, REPOSITORY_OF_ONE, commitOid);
    await refuses(find(), "ErrUnavailable", /not known yet/);
    await change(110);
    assert.equal((await find())?.revision.commitId, commitOid);
  },
  { settings: { history: 86_400_000 } },
);

test(
  "C 26 a commit whose id its author was told is found at once, however many others follow",
  async ({ server, client, commit }) => {
    const { commitOid } = await commit([file("a", "first")]);
    for (let change = 0; change < 150; change++) {
      await client.put(`${REPOSITORY}/${change}`, "content");
    }
    const found = await findPast(server.hub, REPOSITORY_OF_ONE, commitOid);
    assert.equal(found?.revision.commitId, commitOid);
  },
  { settings: { history: 86_400_000 } },
);

test("C 20 a commit fails when its repository was moved or deleted meanwhile", async ({ client, commit }) => {
  for (const change of ["move", "delete"] as const) {
    await client.mkdir(REPOSITORY);
    const operations = async function* () {
      yield file("a", "1");
      if (change === "move") {
        const { status } = await client.move({ sources: [REPOSITORY], destination: "elsewhere" });
        assert.equal(status, 200);
      } else assert.equal((await client.remove({ path: REPOSITORY })).status, 200);
      yield file("b", "2");
    };
    await refuses(commit(operations()), "ErrHubRepositoryNotFound", /not found/);
    assert.deepEqual((await client.tree()).filter((path) => path.endsWith("/a")), []);
  }
});

test("C 20 commits and moves of the repository at the same time leave one or the other", async ({ client, commit }) => {
  for (let round = 0; round < 10; round++) {
    await client.mkdir(REPOSITORY);
    const [committed] = await Promise.allSettled([
      commit([file("a", "1"), file("deep/b", "2")]),
      client.move({ sources: [REPOSITORY], destination: `elsewhere/${round}` }),
    ]);
    const found = (await client.paths({ path: `elsewhere/${round}`, recursive: "true" }))
      .filter((path) => /\/(a|b)$/.test(path));
    assert.equal(found.length, committed?.status === "fulfilled" ? 2 : 0);
  }
});

test("C 20 two commits may take the same object", async ({ server, client, commit }) => {
  const content = noise(300_000);
  for (let round = 0; round < 5; round++) {
    await park(server.hub, ONE, content.with(0, round));
    await Promise.all(
      ["x", "y", "z"].map((name) => commit([lfsFile(`${name}${round}`, content.with(0, round))])),
    );
    for (const name of ["x", "y", "z"]) {
      const stored = await client.bytes({ path: `${REPOSITORY}/${name}${round}` });
      assert.deepEqual(stored, content.with(0, round));
    }
  }
  assert.equal(await parkedFiles(server), 0);
});

test(
  "C 20 a commit that deletes more records than one transaction should is all or nothing too",
  async ({ server, client, commit }) => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}`);
    await client.upload(`${REPOSITORY}/folder`, Object.fromEntries(names.map((it) => [it, it])));
    await client.upload(REPOSITORY, { "old": "old" });
    const large = noise(200_000);
    await park(server.hub, ONE, large);
    const operations: Operation[] = [
      { kind: "deletedFolder", path: "folder" },
      lfsFile("folder/weights", large),
      file("small", "small"),
      file("old", "new"),
      lfsFile("shared", "7"),
    ];
    const former = await contents(client);
    await refuses(
      commit([...operations, file("small/x", "1")]),
      "ErrResourcesAlreadyExists",
      /below/,
    );
    await refuses(
      commit([...operations, lfsFile("lost", "not sent")]),
      "ErrResourcesInvalidData",
      /was not sent/,
    );
    assert.deepEqual(await contents(client), former);
    await using events = await client.events();
    const parent = await server.hub.revisions.commitIdOf(1, REPOSITORY);
    const { commitOid } = await commit(operations, parent);
    const { "folder/weights": weights, ...found } = await contents(client);
    assert.deepEqual(found, { "small": "small", "old": "new", "shared": "7" });
    assert.ok(weights !== undefined);
    assert.deepEqual(await client.bytes({ path: `${REPOSITORY}/folder/weights` }), large);
    assert.equal(commitOid, await server.hub.revisions.commitIdOf(1, REPOSITORY));
    const kinds: (string | undefined)[] = [];
    for (let count = 0; count < 66; count++) kinds.push((await events.next())?.event);
    assert.equal(kinds.filter((kind) => kind === "resource.deleted").length, 61);
    assert.equal(kinds.filter((kind) => kind === "resource.added").length, 4);
    assert.equal(await parkedFiles(server), 0);
  },
  { maxDirectRecords: 50 },
);

test("C 20 a commit has at most 25 000 operations", async ({ client, commit }) => {
  const deletions = Array.from({ length: 25_001 }, (_, index) => ({
    kind: "deletedFile" as const,
    path: `${index}`,
  }));
  await refuses(commit(deletions), "ErrResourcesInvalidRequest", /more than 25000 operations/);
  assert.deepEqual(await contents(client), {});
});

function pointerTo(content: string) {
  return { sha256: sha256Of(content), size: content.length };
}
