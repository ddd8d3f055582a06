import * as assert from "node:assert/strict";
import { entry, items, refused, type Reply } from "../support/client.ts";
import type { EventReader } from "../support/event_reader.ts";
import { allRecords, checkInvariants } from "../support/invariants.ts";
import { seed } from "../support/seed.ts";
import { TestServer } from "../support/server.ts";
import { contentsIn, hashesIn } from "../support/stored_content.ts";
import { openDatabase } from "../support/test_database.ts";
import { COMBINATIONS, SCENARIOS } from "./transfer_table.ts";

/** One line of a table; transfer_table.ts describes the columns. */
interface Scenario {
  readonly rule: string;
  readonly seeds: readonly string[];
  readonly request: string;
  readonly outcome: string;
  readonly reply: readonly string[];
  readonly events: readonly string[];
  readonly left: readonly string[];
}

function scenario(line: string): Scenario {
  const [rule = "", seeds = "", request = "", outcome = "", reply, events, left] = line.split("|")
    .map((column) => column.trim());
  return {
    rule,
    seeds: words(seeds),
    request,
    outcome,
    reply: words(reply),
    events: words(events),
    left: words(left ?? seeds).sort(),
  };
}

const words = (column = "") => column.split(" ").filter((word) => word !== "");
const scenarios = (table: string) =>
  table.split("\n").filter((line) => line.includes("|")).map(scenario);

/** Ids of the users in one scenario. Both start without records. */
interface TestUsers {
  readonly A: number;
  readonly B: number;
}

const MARKS = { added: "+", updated: "~", deleted: "-" };

async function play(server: TestServer, users: TestUsers, played: Scenario): Promise<Scenario> {
  const clients = { A: await server.as(users.A), B: await server.as(users.B) };
  for (const seed of played.seeds) {
    const [, who = "A", path = ""] = /^(?:([AB]):)?(.*)$/.exec(seed) ?? [];
    const client = clients[who === "B" ? "B" : "A"];
    if (path.endsWith("/")) await client.mkdir(path);
    else await client.upload(directoryOf(path), { [nameOf(path)]: contentOf(users, seed) });
  }
  await using streams = new AsyncDisposableStack();
  const streamsByUser: [string, EventReader][] = [
    ["", streams.use(await clients.A.events())],
    ["B:", streams.use(await clients.B.events())],
  ];
  const before = await snapshot(server, users);
  const reply = await send(server, users, played.request);
  const { outcome, entries } = outcomeOf(reply, played.request);
  const after = await snapshot(server, users);
  if (reply.status !== 200) assert.deepEqual(after, before, "C 5.5");
  // A last request marks the end of the events.
  const events: string[] = [];
  for (const [who, stream] of streamsByUser) {
    await clients[who === "" ? "A" : "B"].mkdir("last");
    for (;;) {
      const [event = ""] = await stream.take(1);
      if (event === "added last") break;
      const [kind = "", path = ""] = event.split(" ");
      events.push(who + MARKS[kind as keyof typeof MARKS] + path);
    }
  }
  return { ...played, outcome, reply: entries, events, left: after.shown };
}

const nameOf = (path: string) => path.split("/").at(-1) ?? "";
const directoryOf = (path: string) => path.split("/").slice(0, -1).join("/");
/** Content that is unique to the scenario. */
const contentOf = ({ A }: TestUsers, seed: string) => `${A} ${seed}`;

function outcomeOf(reply: Reply, request: string): { outcome: string; entries: string[] } {
  if (reply.status === 200) {
    const entries = request.includes("mkdir ") ? [entry(reply)] : items(reply);
    return { outcome: "200", entries: entries.map(({ path }) => path) };
  }
  const { code } = JSON.parse(reply.text);
  refused(reply, reply.status, code);
  return { outcome: `${reply.status} ${code.replace("ErrResources", "")}`, entries: [] };
}

async function send(server: TestServer, users: TestUsers, request: string): Promise<Reply> {
  const [, admin, operation, rest = ""] = /^(admin )?(\w+) ?(.*)$/.exec(request) ?? [];
  const client = admin ? await server.admin(users.A) : await server.as(users.A);
  switch (operation) {
    case "move":
    case "copy": {
      const [, sources = "", to, force] = /^(.*) > (\S+)( !)?$/.exec(rest) ?? [];
      const destination = to === '""' ? "" : to;
      const body = { sources: sources.split(","), destination, force: force !== undefined };
      return operation === "move" ? await client.move(body) : await client.copy(body);
    }
    case "delete":
      return await client.remove({ "paths[]": words(rest) });
    case "mkdir":
      return await client.mkdir(rest);
    case "upload": {
      const [dir, names] = rest.split(":");
      const body = new FormData();
      for (const name of words(names)) {
        body.append("files", new Blob([contentOf(users, `new ${name}`)]), name);
      }
      return await client.send("POST", "/resources/", { query: { dir }, body });
    }
    default:
      throw new Error(`No operation in ${request}`);
  }
}

/** The records of both users, in table notation as well, and the number of stored blobs. */
async function snapshot(server: TestServer, users: TestUsers) {
  const records = [...await allRecords(server, users.A), ...await allRecords(server, users.B)];
  await using database = await openDatabase(server.dataDir);
  await server.tree.sweeper.finish();
  const stored = new Set(await hashesIn(database, server.dataDir));
  const hashes = new Set(records.filter(({ isDir }) => !isDir).map(({ hash }) => hash));
  for (const hash of hashes) assert.ok(stored.has(hash), hash);
  const contents = new Map(
    await Array.fromAsync(contentsIn(database, server.dataDir, hashes)),
  );
  const shown: string[] = [];
  for (const { userId, path, isDir, hash } of records) {
    const who = userId === users.B ? "B:" : "";
    if (isDir) shown.push(`${who}${path}/`);
    else {
      const content = new TextDecoder().decode(contents.get(hash));
      const origin = content.slice(`${users.A} `.length).replace("new ", "");
      const own = origin === `${who}${path}` || content.includes(" new ");
      shown.push(`${who}${path}${own ? "" : `=${origin}`}`);
    }
  }
  return { records, stored: stored.size, shown: shown.sort() };
}

Deno.test("RS 4.4, 4.5 and C 7 the table has every combination of source, target, force and number", () => {
  const listed = new Set(
    scenarios(COMBINATIONS).map(({ seeds, request }) => `${seeds.join(" ")} | ${request}`),
  );
  const expected = combinations();
  assert.deepEqual(expected.filter((it) => !listed.has(it)), []);
  assert.equal(listed.size, expected.length);
});

/** All combinations of seeds and requests. */
function combinations(): string[] {
  const found: string[] = [];
  for (const operation of ["move", "copy"]) {
    for (const source of ["s/x", "s/x/ s/x/in"]) {
      for (const target of ["", "t", "t/ t/k", "t/ t/x", "t/ t/x/ t/x/k"]) {
        for (const sources of ["s/x", "s/x,s/y"]) {
          for (const slash of ["", "/"]) {
            for (const force of ["", " !"]) {
              const seeds = words(`s/ ${source} ${sources.includes(",") ? "s/y" : ""} ${target}`);
              found.push(`${seeds.join(" ")} | ${operation} ${sources} > t${slash}${force}`);
            }
          }
        }
      }
    }
  }
  return found;
}

for (const [name, table] of [["combinations", COMBINATIONS], ["scenarios", SCENARIOS]] as const) {
  Deno.test(`RS 4.2 to 4.6 and C 7 follow the table of ${name}`, async (t) => {
    await using server = await TestServer.start();
    for (const [at, expected] of scenarios(table).entries()) {
      await t.step(
        `${expected.rule}: ${expected.seeds.join(" ")} | ${expected.request}`,
        async () => {
          const users = { A: 10 + 2 * at, B: 11 + 2 * at };
          assert.deepEqual(await play(server, users, expected), expected);
        },
      );
    }
    await checkInvariants(server);
  });
}

Deno.test("PUT /resources/move and POST /resources/copy", async (t) => {
  // Content goes with its last record, not when history gives it up.
  await using server = await TestServer.start({ settings: { history: 0 } });
  const one = await server.as(1);
  const both = { move: ["PUT", "/resources/move"], copy: ["POST", "/resources/copy"] } as const;

  for (const [name, [method, path]] of Object.entries(both)) {
    await t.step(
      `C 3 and C 7 ${name} accepts null for a missing key, and unknown keys`,
      async () => {
        await one.upload("", { [`${name}d`]: "x" });
        const body = {
          source: `${name}d`,
          sources: null,
          destination: `${name}/f`,
          force: null,
          id: 1,
        };
        assert.equal((await one.json(method, path, body)).status, 200);
        // For a move it means the root, where the file already is; a copy needs a destination.
        for (const destination of [null, undefined]) {
          const reply = await one.json(method, path, { source: "copyd", destination });
          refused(reply, 400, "ErrResourcesInvalidRequest");
        }
      },
    );
    await t.step(`C 3 ${name} refuses a key of the wrong type`, async () => {
      const good = { source: "nothing", destination: "d" };
      for (
        const bad of [
          { source: 1 },
          { source: ["a"] },
          { sources: "a" },
          { sources: [1] },
          { sources: [null] },
          { destination: 1 },
          { destination: {} },
          { force: "true" },
          { force: 1 },
        ]
      ) {
        const reply = await one.json(method, path, { ...good, ...bad });
        refused(reply, 400, "ErrResourcesInvalidRequest");
      }
      for (const body of [null, [], "a", 1]) {
        refused(await one.json(method, path, body), 400, "ErrResourcesInvalidRequest");
      }
    });
    await t.step(`RS 2 ${name} needs resources.edit`, async () => {
      const other = await server.as(1, "resources.view", "resources.upload", "resources.delete");
      const reply = await other.json(method, path, { source: 1 });
      refused(reply, 403, "ErrNotPermitted");
    });
    await t.step(
      `C 4 ${name} refuses a path that would become too long, and changes nothing`,
      async () => {
        const segment = "n".repeat(250);
        const deep = Array.from({ length: 8 }, () => segment).join("/");
        await one.mkdir(`${name}-long/${deep}`);
        const before = await allRecords(server);
        for (const destination of [`${name}-x/${deep}/${deep}`, `${deep}/${deep}`]) {
          const reply = await one.json(method, path, { source: `${name}-long`, destination });
          refused(reply, 400, "ErrResourcesInvalidRequest");
        }
        assert.deepEqual(await allRecords(server), before);
      },
    );
  }
  await t.step(
    "RS 2 and RS 4.4 common 4 move keeps id and created_at, copy assigns new ones; both share content",
    async () => {
      const [saved] = items(await one.upload("ids", { f: "content of ids" }));
      const stored = await server.storedHashes();
      const [, moved] = items(await one.move({ source: "ids/f", destination: "ids/to/g" }));
      assert.deepEqual(
        { ...moved, updated_at: saved?.updated_at },
        { ...saved, path: "ids/to/g", name: "g" },
      );
      assert.ok(moved && saved && moved.updated_at >= saved.updated_at);
      const [copied] = items(await one.copy({ source: "ids/to/g", destination: "ids/h" }));
      assert.ok(copied && copied.id > moved.id && copied.created_at >= moved.updated_at);
      assert.deepEqual(await server.storedHashes(), stored);
      // RS 4.4 common 4: content is removed with the last record that refers to it.
      await one.upload("ids", { other: "another content" });
      await one.move({ source: "ids/other", destination: "ids/h", force: true });
      assert.equal((await server.storedHashes()).length, stored.length + 1);
      await one.move({ source: "ids/h", destination: "ids/to/g", force: true });
      assert.equal((await server.storedHashes()).length, stored.length);
    },
  );
  await t.step("RS 4.4 common 5 and C 8 streams the reply of a large move in order", async () => {
    const names = Array.from({ length: 2500 }, (_, index) => String(index).padStart(4, "0"));
    await seed(server.tree.records, ["large/", ...names.map((name) => `large/${name}`)]);
    await using events = await one.events();
    const moved = items(await one.move({ source: "large", destination: "larger" }));
    const expected = ["larger", ...names.map((name) => `larger/${name}`)];
    assert.deepEqual(moved.map(({ path }) => path), expected);
    assert.deepEqual(await events.take(2501), expected.map((path) => `updated ${path}`));
  });
});
