import * as assert from "node:assert/strict";
import * as v from "valibot";
import { mintCredential } from "../../core/credentials.ts";
import { BASE_PATH } from "../../schemas/base_path.ts";
import { ResourceEntry } from "../../schemas/resources.ts";
import { ExpectedRefusal, Model, type ModelRecord } from "../fuzz/model.ts";
import {
  entriesOf,
  expectedOf,
  send,
  shownEntry,
  shownRecord,
  type TreeStep,
} from "../fuzz/steps.ts";
import { Client, items, type Reply } from "../support/client.ts";
import { noise, type Random, seededRandom } from "../support/random.ts";
import { USER_PRIVILEGES } from "../support/server.ts";

/** The secret that the servers and the clients of these tests share. */
export const SECRET = "the secret of the faults, longer than 32 bytes";

/** A time at which the present version is the last one. */
const LATER = "2099-01-01T00:00:00Z";
/** A tree that has more records than this shrinks. */
const MAX_RECORDS = 40;
/** Content above 128 KiB is written by a content worker. */
const LARGE_BYTES = 300_000;

/** A change that was sent, and the state of the tree if it was carried out. */
interface Change {
  readonly label: string;
  /** Readings of the clock when the request was sent, and when the reply arrived, if one did. */
  readonly sentAt: number;
  repliedAt?: number;
  readonly after: Model;
}

/** What a client counted. */
export interface Counts {
  /** Changes acknowledged by a 200 response. */
  acknowledged: number;
  /** Requests refused with a 500 response. */
  failed: number;
  /** Requests without a response. */
  unanswered: number;
}

export interface ModeledClientOptions {
  readonly user: number;
  readonly seed: number;
  /** A position that grows as the server writes. @default one that never changes */
  readonly clock?: () => number;
  /** Whether the server keeps history (C 26): then some deletions purge. @default false */
  readonly keepsHistory?: boolean;
}

/** More versions are not remembered, and one of so many is read file by file each time. */
const MAX_VERSIONS = 20;
const DRAWN_VERSIONS = 5;

/**
 * A client that changes the tree of its user at random, with a model of what the server acknowledged.
 * It checks each reply, and later that the tree is what the replies said. Each user has one client, but
 * the contents of all are alike, so that uploads and deletions contend for the same blobs.
 */
export class ModeledClient {
  /** Whether requests may be refused with a 500 response, and downloads may break off. */
  mayFail = false;
  readonly counts: Counts = { acknowledged: 0, failed: 0, unanswered: 0 };
  readonly user: number;
  readonly #random: Random;
  readonly #clock: () => number;
  /** The state before all of {@link #changes}. */
  #settled = new Model();
  readonly #changes: Change[] = [];
  #clients: readonly Client[] = [];
  readonly #randomServer: Random;
  readonly #keepsHistory: boolean;
  /** What the tree was at some versions. */
  readonly #versions = new Map<number, Model>();

  constructor({ user, seed, clock = () => 0, keepsHistory = false }: ModeledClientOptions) {
    this.#keepsHistory = keepsHistory;
    this.user = user;
    this.#random = seededRandom(seed * 1000 + user);
    this.#randomServer = seededRandom(seed * 1000 + user + 500);
    this.#clock = clock;
  }

  /** Sends requests to these servers from now on, to any of them. */
  async connect(...origins: readonly string[]): Promise<void> {
    const token = await mintCredential({
      secret: SECRET,
      userId: this.user,
      privileges: USER_PRIVILEGES,
      ttlSeconds: 86_400,
    });
    this.#clients = origins.map((origin) => new Client(origin + BASE_PATH, token));
  }

  /** Sends random requests, at least one, until one gets no reply or `goesOn` returns false. */
  async work(goesOn: (steps: number) => boolean = () => true): Promise<void> {
    for (let steps = 1; await this.#step() && goesOn(steps); steps++);
  }

  /** Sends one request that changes something and must succeed, as nothing is wrong. */
  async mustSucceed(): Promise<void> {
    this.mayFail = false;
    const { acknowledged } = this.counts;
    while (this.counts.acknowledged === acknowledged) {
      assert.ok(await this.#step(), "a request without a reply");
    }
  }

  /** Deletes something if there is something, which must succeed. */
  async mustRemove(): Promise<void> {
    const [record] = this.#model.records();
    if (record === undefined) return;
    this.mayFail = false;
    const caller = this.#caller;
    const step = { kind: "remove", caller, paths: [record.path], recursive: false } as const;
    assert.ok(await this.#change(step), "a request without a reply");
  }

  /**
   * Checks that the tree of the server is in a state that the replies permit: all acknowledged changes,
   * and perhaps the last request without a reply. Returns that state.
   *
   * @param at A reading of the clock: changes acknowledged until then are there, and none that were
   *   sent later.
   */
  async check(at = Infinity): Promise<Model> {
    const states = this.#statesAt(at);
    const found = await this.#download() ?? assert.fail("no list");
    const matching = states.find(({ after }) => sameTree(found, after.records()));
    if (matching !== undefined) return matching.after;
    const [expected] = states.map(({ after }) => shownTree(after.records()));
    const labels = states.map(({ label }) => label).join(" or ");
    assert.deepEqual(shownFound(found), expected, `user ${this.user}: the tree after ${labels}`);
    throw new Error(`user ${this.user}: wrong content after ${labels}`);
  }

  /** {@link check}, and goes on from the state that the tree is in. */
  async settle(): Promise<void> {
    this.#settled = await this.check();
    this.#changes.length = 0;
    if (this.#keepsHistory) await this.#checkVersions();
  }

  /** Every version that is remembered reads as it was, unless it was given up; and the present one is remembered. */
  async #checkVersions(): Promise<void> {
    for (const [version, model] of this.#versions) {
      const records = model.records();
      const at = { at: String(version) };
      const list = await this.#connected.list({ recursive: "true", ...at });
      const isDrawn = this.#random(DRAWN_VERSIONS) === 0;
      const found = list.status === 404 || !isDrawn ? undefined : await this.#download(at);
      if (list.status === 404) this.#versions.delete(version);
      else {
        const listed = items(list).map((it) => it.is_dir ? it.path : `${it.path} ${it.size}`);
        assert.deepEqual(listed.sort(), shownTree(records), `version ${version}`);
      }
      if (found !== undefined) {
        assert.ok(sameTree(found, records), `user ${this.user}: the bytes of version ${version}`);
      }
    }
    const now = await this.#connected.send("GET", "/resources/", { query: { at: LATER } });
    const version = now.headers.get("X-Version");
    if (version === null) return;
    this.#versions.set(Number(version), this.#settled);
    const [first] = this.#versions.keys();
    if (first !== undefined && this.#versions.size > MAX_VERSIONS) this.#versions.delete(first);
  }

  /** Folds events of the whole tree, which begin before the first one, into the path of each record. */
  async pathsByEvents(lastId: string, count: number): Promise<Map<number, string>> {
    await using events = await this.#connected.events({}, { "Last-Event-ID": lastId });
    const paths = new Map<number, string>();
    const epoch = lastId.slice(0, lastId.lastIndexOf("-"));
    for (let sequence = 1; sequence <= count; sequence++) {
      const block = await events.next();
      assert.equal(block?.id, `${epoch}-${sequence}`, `user ${this.user}: the events`);
      const { id, path } = v.parse(ResourceEntry, JSON.parse(block.data ?? ""));
      if (block.event === "resource.deleted") {
        assert.equal(paths.get(id), path, `user ${this.user}: deleted by event ${block.id}`);
        paths.delete(id);
      } else {
        // A file that replaces another one is new, and comes as updated.
        const isNew = block.event === "resource.added";
        assert.ok(!isNew || !paths.has(id), `user ${this.user}: ${block.id} adds ${path} again`);
        paths.set(id, path);
      }
    }
    return paths;
  }

  /** The path of each record. */
  async paths(): Promise<Map<number, string>> {
    const entries = items(await this.#connected.list({ recursive: "true" }));
    return new Map(entries.map(({ id, path }) => [id, path]));
  }

  /** The states that the tree may have had at a reading of the clock. */
  #statesAt(at: number): Pick<Change, "label" | "after">[] {
    const done = this.#changes.filter(({ repliedAt }) =>
      repliedAt !== undefined && repliedAt <= at
    );
    const next = this.#changes[done.length];
    const last = done.at(-1) ?? { label: "the last check", after: this.#settled };
    return next === undefined || next.sentAt > at ? [last] : [last, next];
  }

  get #caller() {
    return { user: this.user, admin: false };
  }

  get #model(): Model {
    return this.#changes.at(-1)?.after ?? this.#settled;
  }

  /** Sends a random request. Returns false if it got no reply. */
  #step(): Promise<boolean> {
    const files = this.#model.records().filter(({ node }) => !node.isDir);
    const file = files[this.#random(Math.max(1, files.length))];
    if (file !== undefined && this.#random(8) === 0) return this.#read(file);
    return this.#change(this.#randomChange());
  }

  async #change(step: TreeStep): Promise<boolean> {
    const before = this.#model;
    const after = before.fork();
    const expected = expectedOf(after, step);
    const label = JSON.stringify(step);
    const change: Change = { label, sentAt: this.#clock(), after };
    if (!(expected instanceof ExpectedRefusal)) this.#changes.push(change);
    const reply = await this.#send(step).catch(() => undefined);
    if (reply === undefined) {
      this.counts.unanswered++;
      return false;
    }
    change.repliedAt = this.#clock();
    // 503: a server that cannot go on stops before another one starts.
    if (this.mayFail && [500, 503].includes(reply.status)) {
      this.counts.failed++;
      if (this.#changes.at(-1) === change) this.#changes.pop();
      return true;
    }
    if (step.kind === "restore" && codeOf(reply) === "ErrVersionsNotFound") {
      // It may be given up meanwhile.
      this.#versions.delete(step.body.at);
      if (this.#changes.at(-1) === change) this.#changes.pop();
      return true;
    }
    if (expected instanceof ExpectedRefusal) {
      assert.deepEqual([reply.status, codeOf(reply)], [expected.status, expected.code], label);
      return true;
    }
    assert.equal(reply.status, 200, `${label} ${reply.text}`);
    this.counts.acknowledged++;
    assert.deepEqual(
      entriesOf(step, reply).map(shownEntry),
      expected.items.map((item) => shownRecord(item, sizeOf)),
      label,
    );
    return true;
  }

  #send(step: TreeStep): Promise<Reply> {
    const purges = this.#keepsHistory && step.kind === "remove" && this.#random(4) === 0;
    if (!purges) return send(this.#connected, step, bytesOf);
    // What was purged is missing from them.
    this.#versions.clear();
    return this.#connected.remove({ "paths[]": step.paths, purge: "true" });
  }

  /** Downloads a file. What arrives whole must be its content. */
  async #read({ path, node }: ModelRecord): Promise<boolean> {
    let bytes: Uint8Array;
    try {
      const response = await this.#connected.download({ path });
      bytes = new Uint8Array(await response.arrayBuffer());
      if (this.mayFail && [500, 503].includes(response.status)) {
        this.counts.failed++;
        return true;
      }
      assert.equal(response.status, 200, path);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      this.counts.unanswered++;
      // It broke off, or the server has died.
      return this.mayFail && await this.#isServed();
    }
    assert.ok(sameBytes(bytes, bytesOf(node.content)), `user ${this.user}: wrong bytes: ${path}`);
    return true;
  }

  async #isServed(): Promise<boolean> {
    return await this.#connected.list().then(() => true, () => false);
  }

  /** All records of the server, with the content of files. Undefined if the version is not kept. */
  async #download(at: { readonly at?: string } = {}): Promise<FoundTree | undefined> {
    const list = await this.#connected.list({ recursive: "true", ...at });
    if (list.status === 404) return undefined;
    const found = new Map<string, Uint8Array | undefined>();
    for (const { path, is_dir: isDirectory } of items(list)) {
      const response = isDirectory ? undefined : await this.#connected.download({ path, ...at });
      const bytes = await response?.arrayBuffer();
      // It may be given up meanwhile.
      if (response?.status === 404 && at.at !== undefined) return undefined;
      assert.ok(response === undefined || response.status === 200, path);
      found.set(path, bytes && new Uint8Array(bytes));
    }
    return found;
  }

  get #connected(): Client {
    const client = this.#clients[this.#randomServer(this.#clients.length)];
    if (client === undefined) throw new Error("Not connected");
    return client;
  }

  #randomChange(): TreeStep {
    const random = this.#random;
    const caller = this.#caller;
    const paths = this.#model.records().map(({ path }) => path);
    const known = () => paths[random(paths.length)] ?? "a";
    const remove = () => ({ kind: "remove", caller, paths: [known()], recursive: false }) as const;
    if (paths.length > MAX_RECORDS) return remove();
    const restored = this.#versions.size > 0 && random(8) === 0 ? this.#randomRestore() : undefined;
    if (restored !== undefined) return restored;
    const fresh = () => Array.from({ length: 1 + random(3) }, () => "abcd"[random(4)]).join("/");
    const destination = () => [known, fresh, () => `${known()}/`][random(3)]?.() ?? "";
    const force = random(4) > 0;
    switch (random(8)) {
      case 0:
        return remove();
      case 1:
        return { kind: "mkdir", caller, path: fresh() };
      case 2:
        return { kind: "copy", caller, request: { source: known(), destination: fresh(), force } };
      case 3:
      case 4: {
        const request = { source: known(), destination: destination(), force };
        return { kind: "move", caller, request };
      }
      default: {
        const files = Array.from({ length: 1 + random(3) }, () =>
          [
            `f${random(20)}`,
            this.#randomContent(),
          ] as const);
        const onConflict = random(2) === 0 ? "replace" : "error";
        return { kind: "upload", caller, dir: random(4) === 0 ? "" : fresh(), files, onConflict };
      }
    }
  }

  /** Brings back a part of a version that is remembered. */
  #randomRestore(): TreeStep | undefined {
    const random = this.#random;
    const versions = [...this.#versions];
    const [at, model] = versions[random(versions.length)] ?? [];
    const then = model?.treeOf(this.user);
    const paths = [...then?.keys() ?? []];
    const path = paths[random(paths.length)];
    if (at === undefined || then === undefined || path === undefined) return undefined;
    const body = {
      path,
      at,
      force: random(4) > 0,
      ...(random(2) === 0 && { destination: "back" }),
    };
    return { kind: "restore", caller: this.#caller, body, then };
  }

  #randomContent(): string {
    const random = this.#random;
    if (random(8) === 0) return `noise ${LARGE_BYTES + random(3)}`;
    return random(2) === 0 ? `shared ${random(7)}` : `own ${this.user} ${random(1_000_000)}`;
  }
}

/** Content of files by path; undefined for directories. */
type FoundTree = ReadonlyMap<string, Uint8Array | undefined>;

const encoder = new TextEncoder();
const noises = new Map<string, Uint8Array<ArrayBuffer>>();

/** The content that a text of the model stands for: itself, or noise of a size. */
function bytesOf(content: string): Uint8Array<ArrayBuffer> {
  if (!content.startsWith("noise ")) return encoder.encode(content);
  const bytes = noises.get(content) ?? noise(Number(content.slice("noise ".length)));
  noises.set(content, bytes);
  return bytes;
}

const sizeOf = (content: string) => bytesOf(content).length;

function sameTree(found: FoundTree, records: readonly ModelRecord[]): boolean {
  return found.size === records.length && records.every(({ path, node }) => {
    const bytes = found.get(path);
    if (node.isDir) return found.has(path) && bytes === undefined;
    return bytes !== undefined && sameBytes(bytes, bytesOf(node.content));
  });
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}

function shownTree(records: readonly ModelRecord[]): string[] {
  return records.map(({ path, node }) => node.isDir ? path : `${path} ${sizeOf(node.content)}`)
    .sort();
}

function shownFound(found: FoundTree): string[] {
  return [...found].map(([path, bytes]) => bytes === undefined ? path : `${path} ${bytes.length}`)
    .sort();
}

function codeOf(reply: Reply): unknown {
  return JSON.parse(reply.text).code;
}
