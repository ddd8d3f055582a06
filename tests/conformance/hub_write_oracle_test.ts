import * as assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import {
  batch,
  commit,
  committed,
  fetchBare,
  HubClient,
  lfsObject,
  lines,
  park,
} from "../support/hub.ts";
import { noise } from "../support/random.ts";
import { rankScore } from "../support/ranks.ts";
import { TestServer } from "../support/server.ts";

const REPOSITORY = "team/one";
/** Objects in a request. */
const OBJECTS = 50;
/** Requests of each kind, interleaved. */
const REQUESTS = 250;
/** How often the statement itself is run for each kind. */
const LOOKUPS = 1000;
/**
 * Beyond this standard score, samples are told apart. Without a difference, a test run exceeds it once in
 * 10^15 times.
 */
const MAX_SCORE = 8;

interface Parties {
  readonly server: TestServer;
  /** Objects that user 1 has. */
  readonly known: readonly { oid: string; size: number }[];
  readonly one: HubClient;
  readonly two: HubClient;
}

/** User 1 with files, some in the database and some in files, and user 2 with an empty repository. */
async function parties(): Promise<Parties> {
  const server = await TestServer.start();
  const one = new HubClient(server, await server.as(1));
  const two = new HubClient(server, await server.as(2));
  for (const hub of [one, two]) assert.equal((await hub.create(REPOSITORY)).status, 200);
  const contents = Array.from(
    { length: OBJECTS },
    (_, index) => noise(index < 5 ? 70_000 : 500, index),
  );
  for (const content of contents.slice(0, 5)) await park(one, REPOSITORY, content);
  committed(
    await commit(
      one,
      REPOSITORY,
      ...contents.map((content, index) =>
        index < 5 ? lines.lfsFile(`${index}`, content) : {
          key: "file",
          value: { path: `${index}`, encoding: "base64", content: content.toBase64() },
        }
      ),
    ),
  );
  return { server, one, two, known: contents.map((content) => lfsObject(content)) };
}

/** Objects of the same sizes that nobody has. */
function unknown(known: Parties["known"]): { oid: string; size: number }[] {
  return known.map(({ size }) => ({ oid: randomBytes(32).toString("hex"), size }));
}

/** The times of two kinds of work that takes turns, in a random order. */
async function times(
  count: number,
  works: readonly [() => Promise<unknown>, () => Promise<unknown>],
): Promise<[number[], number[]]> {
  const found: [number[], number[]] = [[], []];
  for (let round = -20; round < count; round++) {
    const order = Math.random() < 0.5 ? [0, 1] as const : [1, 0] as const;
    for (const kind of order) {
      const started = performance.now();
      await works[kind]();
      const taken = performance.now() - started;
      if (round >= 0) found[kind].push(taken);
    }
  }
  return found;
}

function indistinguishable(samples: readonly [number[], number[]]): void {
  const score = rankScore(...samples);
  assert.ok(Math.abs(score) < MAX_SCORE, `told apart with a score of ${score.toFixed(1)}`);
}

Deno.test("C 20 the batch does not tell what other trees have", async (t) => {
  const { server, one, two, known } = await parties();
  await using _server = server;
  const others = unknown(known);
  const ask = (
    hub: HubClient,
    objects: Parties["known"],
    operation: "upload" | "download" = "upload",
  ) => batch(hub, REPOSITORY, operation, ...objects);

  await t.step("C 20 the owner needs to send nothing", async () => {
    assert.deepEqual(await ask(one, known), known);
  });
  await t.step("C 20 the answers are the same but for the objects", async () => {
    const shapeOf = (text: string) =>
      text.replaceAll(/[0-9a-f]{64}/g, "<oid>").replaceAll(/\/hub\/lfs\/[^"]+/g, "<address>")
        .replaceAll(/"expires_at":"[^"]+"/g, "<time>");
    for (const operation of ["upload", "download"] as const) {
      const answers: string[] = [];
      for (const objects of [known, others]) {
        const reply = await two.post(`/${REPOSITORY}.git/info/lfs/objects/batch`, {
          operation,
          objects,
        }, {
          "Content-Type": "application/vnd.git-lfs+json",
        });
        const headers = [...reply.headers].filter(([name]) =>
          !["date", "x-request-id"].includes(name)
        );
        answers.push(JSON.stringify([reply.status, headers]) + shapeOf(reply.text));
        assert.equal([...reply.text.matchAll(/<|"error"|"upload"|"download"/g)].length, OBJECTS);
      }
      assert.equal(answers[0], answers[1]);
    }
    // Signed addresses have the same length, and say the same of each object.
    const lengths = async (objects: Parties["known"]) =>
      (await ask(two, objects)).map(({ actions }) => actions?.upload?.href.length);
    assert.deepEqual(await lengths(known), await lengths(others));
  });
  for (const operation of ["upload", "download"] as const) {
    await t.step(`C 20 nor do the times of answers: ${operation}`, async () => {
      indistinguishable(
        await times(REQUESTS, [
          () => ask(two, known, operation),
          () => ask(two, others, operation),
        ]),
      );
    });
  }
  const { objects } = server.hub;
  const pointers = (objects: Parties["known"]) =>
    objects.map(({ oid, size }) => ({ sha256: oid, size }));
  const stored = pointers(known);
  const unstored = pointers(others);
  const lookUp = (count: number, these: typeof stored, those: typeof stored) =>
    times(count, [
      () => objects.holds(2, these, Date.now()),
      () => objects.holds(2, those, Date.now()),
    ]);
  await t.step("C 20 nor do the times of the lookup itself", async () => {
    indistinguishable(await lookUp(LOOKUPS, stored, unstored));
  });
  await t.step("C 20 the same test tells apart lookups of more objects", async () => {
    const more = Array.from({ length: 10 }, () => pointers(unknown(known))).flat();
    const samples: [number[], number[]] = [[], []];
    let score = 0;
    // On a busy machine it takes more of them.
    for (let rounds = 0; rounds < 20 && Math.abs(score) <= MAX_SCORE; rounds++) {
      const found = await lookUp(LOOKUPS / 10, unstored, more);
      samples.forEach((sample, kind) => sample.push(...found[kind] ?? []));
      score = rankScore(...samples);
    }
    assert.ok(Math.abs(score) > MAX_SCORE, `a score of ${score.toFixed(1)}`);
  });
});

Deno.test("C 20 content of others has to be sent, whoever asks", async () => {
  const { server, two, known } = await parties();
  await using _server = server;
  const [object] = known;
  assert.ok(object !== undefined);
  const [item] = await batch(two, REPOSITORY, "upload", object);
  const href = item?.actions?.upload?.href ?? "";
  const wrong = await fetchBare(href, { method: "PUT", body: new Uint8Array(object.size) });
  const [other] = await batch(two, REPOSITORY, "upload", ...unknown([object]));
  const href2 = other?.actions?.upload?.href ?? "";
  const nobodys = await fetchBare(href2, { method: "PUT", body: new Uint8Array(object.size) });
  const shape = (text: string) => text.replaceAll(/[0-9a-f]{64}/g, "<oid>");
  assert.deepEqual([wrong.status, shape(wrong.text)], [nobodys.status, shape(nobodys.text)]);
  const refusals = await Promise.all([object, ...unknown([object])].map(async ({ oid, size }) => {
    const reply = await commit(two, REPOSITORY, {
      key: "lfsFile",
      value: { path: "mine", algo: "sha256", oid, size },
    });
    return [reply.status, shape(reply.text)];
  }));
  assert.deepEqual(refusals[0], refusals[1]);
});

Deno.test("C 20 those who may only upload do not learn what the files of a tree have", async () => {
  const { server, one, known } = await parties();
  await using _server = server;
  const [first] = known;
  assert.ok(first !== undefined);
  const writer = new HubClient(server, await server.as(1, "resources.upload", "resources.edit"));
  const needed = async (hub: HubClient) =>
    (await batch(hub, REPOSITORY, "upload", first)).filter(({ actions }) => actions).length;
  assert.deepEqual([await needed(one), await needed(writer)], [0, 1]);
  const copy = { key: "lfsFile", value: { path: "mine", algo: "sha256", ...first } };
  assert.equal((await commit(writer, REPOSITORY, copy)).status, 400);
  // What has been sent is taken, although a file has it.
  const [item] = await batch(writer, REPOSITORY, "upload", first);
  const body = noise(first.size, 0);
  await fetchBare(item?.actions?.upload?.href ?? "", { method: "PUT", body });
  assert.equal(await needed(writer), 0);
  committed(await commit(writer, REPOSITORY, copy));
});
