/** Runs the same random operations on the service and on the model of RS, and compares the results. */

import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { removeUnreferenced } from "../../core/tree/sweeper.ts";
import type { Client } from "../support/client.ts";
import type { EventReader } from "../support/event_reader.ts";
import {
  allRecords,
  checkInvariantsIn,
  checkNothingArrives,
  untilObjectsLeft,
} from "../support/invariants.ts";
import { noise } from "../support/random.ts";
import { TestServer, type TestServerOptions } from "../support/server.ts";
import { openDatabase, type TestDatabase } from "../support/test_database.ts";
import { KeptVersions, type Pruning } from "./kept_versions.ts";
import {
  ExpectedRefusal,
  Model,
  type ModelRecord,
  type ModelUser,
  type TransferRequest,
} from "./model.ts";
import {
  entriesOf,
  expectedOf,
  type PathsStep,
  send,
  shownEntry,
  shownRecord,
  type TreeStep,
} from "./steps.ts";

/** Two users and an administrator. All of them own records. */
const CALLERS: readonly ModelUser[] = [
  { user: 1, admin: false },
  { user: 2, admin: false },
  { user: 3, admin: true },
];

/** One of so many steps is followed by a check of all that is stored, as are all that prune and the last one. */
const STORED_CHECKS = 5;

/** How far back versions are restored: some of them were given up. */
const MAX_BACK = 10;

/** A literal path, an existing path by index, or an ancestor of the first source. */
type Pick =
  | { readonly text: string }
  | { readonly index: number; readonly around: string }
  | { readonly levelsUp: number };

interface TransferStep {
  readonly kind: "move" | "copy";
  readonly caller: ModelUser;
  /** The user whose records an administrator picks from. */
  readonly owner: ModelUser;
  readonly source: Pick | undefined;
  readonly sources: readonly Pick[];
  readonly destination: Pick | null | undefined;
  readonly force: boolean | undefined;
}

/** What is restored, by its path at present or then (C 26). */
interface RestoreStep {
  readonly kind: "restore";
  readonly caller: ModelUser;
  /** The version, counted back from the present one. */
  readonly back: number;
  readonly source: Pick;
  readonly destination: Pick | null | undefined;
  readonly force: boolean | undefined;
}

type Step =
  | TransferStep
  | RestoreStep
  | Exclude<TreeStep, { kind: "move" | "copy" | "restore" | "remove" | "list" }>
  | PathsStep<Pick>;

// Few names, so that they repeat within a path and files sometimes conflict with directories.
const name = fc.constantFrom("a", "a", "a", "b", "b", "a-", "é");
const fileName = fc.constantFrom("f", "f", "g", "a", "b");
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
const oddPath = fc.constantFrom("", " ", "/a", "../a", "a/..", ".", "./a//a/", " a ", "a\\b");
const pick: fc.Arbitrary<Pick> = fc.oneof(
  { weight: 1, arbitrary: path.map((text) => ({ text })) },
  { weight: 12, arbitrary: fc.nat({ max: 1000 }).map((index) => ({ index, around: "*" })) },
);
const source = fc.oneof(
  { weight: 40, arbitrary: pick },
  { weight: 1, arbitrary: oddPath.map((text) => ({ text })) },
);
const around = fc.constantFrom("*", "*", "*/", "*\\", "*/a", "*/b/a", "*/a/", " ./* ");
const destination: fc.Arbitrary<Pick | null | undefined> = fc.oneof(
  {
    weight: 30,
    arbitrary: fc.tuple(fc.nat({ max: 1000 }), around).map(([index, around]) => ({
      index,
      around,
    })),
  },
  // Moving a directory into its ancestor can place it over itself.
  { weight: 20, arbitrary: fc.integer({ min: 2, max: 3 }).map((levelsUp) => ({ levelsUp })) },
  { weight: 10, arbitrary: path.map((text) => ({ text })) },
  { weight: 3, arbitrary: fc.constant({ text: "" }) },
  { weight: 1, arbitrary: oddPath.map((text) => ({ text })) },
  { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
);
const caller = fc.constantFrom(...CALLERS);
// So few that files share them, and so many that the past alone has some.
const content = fc.constantFrom("", "1", "2", "3", "4", "5", "6", "large");
/** What the model calls `large` is too large for the database. */
const LARGE = noise(70_000);
const bytesOf = (content: string) => content === "large" ? LARGE : content;
const sizeOf = (content: string) => bytesOf(content).length;
const MD5_OF = new Map<string, string>();
function md5Of(content: string): string {
  const known = MD5_OF.get(content) ?? createHash("md5").update(bytesOf(content)).digest("hex");
  MD5_OF.set(content, known);
  return known;
}

const sources = fc.oneof(
  { weight: 10, arbitrary: fc.record({ source: source, sources: fc.constant([]) }) },
  {
    weight: 10,
    arbitrary: fc.record({
      source: fc.constant(undefined),
      sources: fc.array(source, { minLength: 2, maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      source: fc.option(source, { nil: undefined }),
      sources: fc.array(source, { maxLength: 3 }),
    }),
  },
);

const transfer: fc.Arbitrary<TransferStep> = fc.tuple(
  fc.record({
    kind: fc.constantFrom("move" as const, "copy" as const),
    caller,
    owner: caller,
    destination,
    force: fc.constantFrom(true, true, true, false, undefined),
  }),
  sources,
).map(([transfer, sources]) => ({ ...transfer, ...sources }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 14, arbitrary: transfer },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("upload" as const),
      caller,
      dir: fc.oneof({ weight: 8, arbitrary: path }, { weight: 1, arbitrary: fc.constant("") }),
      files: fc.array(fc.tuple(fileName, content), { minLength: 1, maxLength: 3 }),
      onConflict: fc.constantFrom("error" as const, "skip" as const, "replace" as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("mkdir" as const), caller, path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("remove" as const),
      caller,
      paths: fc.array(pick, { maxLength: 2 }),
      recursive: fc.constant(false),
      purge: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("restore" as const),
      caller,
      back: fc.nat({ max: MAX_BACK }),
      source,
      destination: fc.oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        { weight: 3, arbitrary: destination },
      ),
      force: fc.constantFrom(true, true, false, undefined),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("list" as const),
      caller: fc.constantFrom(...CALLERS.filter(({ admin }) => !admin)),
      paths: fc.array(pick, { minLength: 1, maxLength: 2 }),
      recursive: fc.boolean(),
    }),
  },
);

const pruning: fc.Arbitrary<Pruning> = fc.oneof(
  fc.record({ share: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({ bytes: fc.constantFrom(0, 3_000, 10_000, 80_000) }),
);

/** Initial content of the trees. */
const SEEDS: readonly Step[] = CALLERS.flatMap((caller): Step[] => [
  { kind: "upload", caller, dir: "a/a/a/a", files: [["f", "1"], ["g", "2"]] },
  { kind: "upload", caller, dir: "a/a/a/b", files: [["f", "2"]] },
  { kind: "upload", caller, dir: "a/a", files: [["f", "large"], ["a-", ""]] },
  { kind: "upload", caller, dir: "b/a/b/a/b", files: [["a", "1"], ["é", "2"]] },
]);

export interface SequenceOptions {
  readonly seed: number;
  readonly sequences: number;
  /** Random steps per sequence. */
  readonly steps: number;
  /** Replays a failed sequence, as printed by fast-check. */
  readonly path?: string;
  readonly server?: TestServerOptions;
}

/** Counts by kind of step and status. */
export type Tally = Map<string, number>;

/**
 * Checks random sequences of operations.
 *
 * @throws {Error} when the service and the model disagree. The message has the smallest sequence found
 *   and the seed.
 */
export async function checkSequences(
  { seed, sequences, steps, path, server }: SequenceOptions,
): Promise<Tally> {
  await using pair = await Pair.start(server);
  const property = fc.asyncProperty(
    fc.array(step, { minLength: steps, maxLength: steps }),
    // Some versions are given up, and the tree goes on without them.
    fc.nat({ max: steps }),
    pruning,
    async (sequence, pruneAt, pruning) => {
      await pair.restart();
      for (const one of [...SEEDS, ...sequence.slice(0, pruneAt)]) await pair.step(one);
      await pair.prune(pruning);
      for (const one of sequence.slice(pruneAt)) await pair.step(one);
      await pair.finish();
    },
  );
  await fc.assert(property, {
    seed,
    numRuns: sequences,
    endOnFailure: false,
    ...(path !== undefined && { path }),
  });
  await untilObjectsLeft(pair.database, pair.server.dataDir);
  return pair.tally;
}

/** The service and the model, side by side. */
class Pair implements AsyncDisposable {
  readonly tally: Tally = new Map();
  #model = new Model();
  #streams: readonly EventReader[] = [];
  #lastId = 0;
  #steps = 0;
  readonly #versions: KeptVersions;

  private constructor(
    readonly server: TestServer,
    readonly database: TestDatabase,
    readonly clients: readonly Client[],
  ) {
    this.#versions = new KeptVersions({
      server,
      database,
      users: CALLERS.map(({ user }) => user),
      clientOf: (userId) => {
        const at = CALLERS.findIndex(({ user }) => user === userId);
        return clients[at] ?? assert.fail();
      },
      hashOf,
    });
  }

  static async start(options?: TestServerOptions): Promise<Pair> {
    const server = await TestServer.start(options);
    const clients = await Promise.all(
      CALLERS.map(({ user, admin }) => admin ? server.admin(user) : server.as(user)),
    );
    return new Pair(server, await openDatabase(server.dataDir), clients);
  }

  /** Resets the service and the model. */
  async restart(): Promise<void> {
    await this.#closeStreams();
    const { records } = this.server.tree;
    const all = await allRecords(this.server);
    const roots = all.filter(({ path }) => !path.includes("/"));
    await records.write((transaction) => transaction.deleteSubtrees(roots));
    await this.#versions.giveUp();
    await removeUnreferenced(this.server.tree, all.map(({ hash }) => hash));
    await this.#nothingIsKept();
    this.server.log.length = 0;
    this.#model = new Model();
    this.#steps = 0;
    await this.#versions.note(this.#model);
    this.#streams = await Promise.all(this.clients.map((client) => client.events()));
  }

  /** Nothing is kept of what nothing names any more. */
  async #nothingIsKept(): Promise<void> {
    const [row] = await this.database.all("SELECT count(*) AS count FROM contents");
    assert.equal(Number(row?.count), 0, "C 26: contents that nothing names");
  }

  /** Runs one step on both, and compares replies, events and trees. */
  async step(step: Step): Promise<void> {
    const known = this.#resolve(step);
    const began = Date.now();
    const expected = expectedOf(this.#model, known);
    const client = this.clients[CALLERS.indexOf(step.caller)];
    assert.ok(client);
    const reply = await send(client, known, bytesOf);
    const label = JSON.stringify(known);
    this.#count(`${step.kind} ${reply.status}`);
    if (expected instanceof ExpectedRefusal) {
      const { code } = JSON.parse(reply.text);
      agree([reply.status, code], [expected.status, expected.code], label);
      await this.#compareTrees(label, began, new Set());
      return;
    }
    assert.equal(reply.status, 200, `${label} ${reply.text}`);
    const entries = entriesOf(known, reply);
    agree(entries.map(shownEntry), expected.items.map((item) => shownRecord(item, sizeOf)), label);
    // A directory that a copy merges into is reported as updated but does not change (RS 4.5.5).
    const isCopy = step.kind === "copy" || step.kind === "restore";
    const moved = new Set(
      expected.events.filter(({ kind }) => !isCopy && kind === "updated").map(({ node }) => node),
    );
    await this.#compareTrees(label, began, moved);
    if (known.kind === "remove" && known.purge) {
      await this.#versions.purged(rootsOf(expected.items, known.paths), this.#model);
    }
    const ids = expected.items.map(({ node }) => node.id);
    agree(entries.map(({ id }) => id), ids, `${label}: the same records`);
    for (const [at, { user }] of CALLERS.entries()) {
      const expectedEvents: string[] = expected.events.filter((event) => event.user === user)
        .map(({ kind, path }) => `${kind} ${path}`);
      agree(
        await this.#streams[at]?.take(expectedEvents.length),
        expectedEvents,
        `${label}: events`,
      );
    }
  }

  /** Gives up some versions, and compares. */
  async prune(pruning: Pruning): Promise<void> {
    await checkInvariantsIn(this.database, this.server);
    await this.#versions.prune(pruning, this.#model);
    await checkInvariantsIn(this.database, this.server);
  }

  /** Checks that no unexpected events were published, and that nothing is left of what was refused. */
  async finish(): Promise<void> {
    for (const [at, client] of this.clients.entries()) {
      const last = `last-${at}`;
      await client.mkdir(last);
      agree(await this.#streams[at]?.take(1), [`added ${last}`]);
    }
    await checkNothingArrives(this.database);
    await checkInvariantsIn(this.database, this.server);
    await this.#versions.compare();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#closeStreams();
    await this.database[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
  }

  async #closeStreams(): Promise<void> {
    await Promise.all(this.#streams.map((stream) => stream[Symbol.asyncDispose]()));
  }

  #count(outcome: string): void {
    this.tally.set(outcome, (this.tally.get(outcome) ?? 0) + 1);
  }

  /** Resolves the picks of a step to paths. */
  #resolve(step: Step): TreeStep {
    const text = (pick: Pick, first = ""): string => {
      if ("text" in pick) return pick.text;
      if ("levelsUp" in pick) return first.split("/").slice(0, -pick.levelsUp).join("/");
      const owner = step.caller.admin && "owner" in step ? step.owner : step.caller;
      const visible = this.#model.records().filter(({ user }) => user === owner.user);
      const chosen = visible[pick.index % Math.max(1, visible.length)];
      return pick.around.replace("*", chosen?.path ?? "a");
    };
    switch (step.kind) {
      case "move":
      case "copy": {
        const { destination } = step;
        const source = step.source && text(step.source);
        const sources = step.sources.map((pick) => text(pick));
        const first = sources[0] ?? source;
        const request: TransferRequest = {
          ...(source !== undefined && { source }),
          ...(sources.length > 0 && { sources }),
          ...(destination !== undefined && {
            destination: destination === null ? null : text(destination, first),
          }),
          ...(step.force !== undefined && { force: step.force }),
        };
        return { kind: step.kind, caller: step.caller, request };
      }
      case "restore": {
        const { kind, caller, back, force } = step;
        const { at, then } = this.#versions.pick(caller.user, back);
        const paths = [...then?.keys() ?? []];
        const wasAt = (pick: Pick) =>
          "index" in pick ? paths[pick.index % Math.max(1, paths.length)] ?? "a" : text(pick);
        const path = wasAt(step.source);
        const destination = step.destination && text(step.destination, path);
        const body = {
          path,
          at,
          ...(typeof destination === "string" && { destination }),
          ...(force !== undefined && { force }),
        };
        return { kind, caller, body, then };
      }
      case "remove":
      case "list":
        return { ...step, paths: step.paths.map((pick) => text(pick)) };
      case "upload":
      case "mkdir":
        return step;
    }
  }

  /** Compares all records, and takes over the ids of new records and the times of changed ones. */
  async #compareTrees(
    label: string,
    began: number,
    moved: ReadonlySet<ModelRecord["node"]>,
  ): Promise<void> {
    const records = ++this.#steps % STORED_CHECKS === 0
      ? await checkInvariantsIn(this.database, this.server)
      : await allRecords(this.server);
    const expected = this.#model.records();
    const real = new Map(records.map((record) => [`${record.userId} ${record.path}`, record]));
    agree(
      [...real].map(([key, { isDir, hash }]) => [key, isDir, hash]).sort(),
      expected.map(({ user, path, node }) => [`${user} ${path}`, node.isDir, hashOf(node)]).sort(),
      label,
    );
    let highest = this.#lastId;
    for (const { user, path, node } of expected) {
      const record = real.get(`${user} ${path}`);
      assert.ok(record);
      if (node.id === undefined) {
        assert.ok(record.id > this.#lastId, `${label}: a reused id at ${path}`);
        assert.ok(record.createdAt >= began, `${label}: created_at of ${path}`);
        highest = Math.max(highest, record.id);
        node.id = record.id;
        node.updatedAt = record.updatedAt;
      }
      assert.equal(record.id, node.id, `${label}: the record at ${path}`);
      if (moved.has(node)) {
        assert.ok(record.updatedAt >= began, `${label}: updated_at of ${path}`);
        node.updatedAt = record.updatedAt;
      }
      assert.equal(record.updatedAt, node.updatedAt, `${label}: updated_at of ${path}`);
    }
    this.#lastId = highest;
    await this.#versions.note(this.#model);
  }
}

const hashOf = ({ isDir, content }: ModelRecord["node"]): string => isDir ? "" : md5Of(content);

/** The paths of a request to delete, with the users whose records they were. */
function rootsOf(deleted: readonly ModelRecord[], paths: readonly string[]) {
  const cleaned = new Set(paths.map((path) => path.trim()));
  return deleted.filter(({ path }) => cleaned.has(path)).map(({ user, path }) => ({ user, path }));
}

/** Like `assert.deepEqual`, but adds the step to the message. */
function agree(actual: unknown, expected: unknown, label = ""): void {
  try {
    assert.deepEqual(actual, expected);
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error);
    throw new Error(`${label}: ${difference}`, { cause: error });
  }
}
