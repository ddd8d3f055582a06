/** What the fuzzer knows of the versions of trees (C 26), and how it reads them back. */

import * as assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipReader } from "@zip.js/zip.js";
import type { At, HistoryBounds } from "../../core/history.ts";
import { removeUnreferenced } from "../../core/tree/sweeper.ts";
import { type Client, type QueryParameters, refused } from "../support/client.ts";
import type { TestServer } from "../support/server.ts";
import type { TestDatabase } from "../support/test_database.ts";
import type { Model, ModelRecord, ModelTree, Node } from "./model.ts";

export interface KeptVersionsParts {
  readonly server: TestServer;
  readonly database: TestDatabase;
  readonly users: readonly number[];
  /** The client of a user. */
  readonly clientOf: (userId: number) => Client;
  /** The hash of a node, "" for a directory. */
  readonly hashOf: (node: Node) => string;
}

/** What {@link KeptVersions.prune} leaves: versions of a share of the time, or so many bytes of each tree. */
export type Pruning = { readonly share: number } | { readonly bytes: number };

/** A version of a tree. */
interface Version {
  readonly user: number;
  readonly version: number;
}

const IS_KEPT = "SELECT keeps_history FROM storage_state";
const TAG = "tagged";
/** One of so many versions is read as an archive, and file by file. */
const DRAWN_ARCHIVES = 5;
const DRAWN_FILES = 20;

const isWithin = (path: string, directory: string) =>
  path === directory || path.startsWith(`${directory}/`);

/** Each version of each tree that was the present one at some time, and is kept. */
export class KeptVersions {
  readonly #parts: KeptVersionsParts;
  readonly #states = new Map<number, Map<number, ModelTree>>();
  #isKept: boolean | undefined;
  /** What has a tag, by user. */
  readonly #tagged = new Map<number, ModelTree>();

  constructor(parts: KeptVersionsParts) {
    this.#parts = parts;
  }

  /** Notes what the trees are now, if history is kept. */
  async note(model: Model): Promise<void> {
    this.#isKept ??= Boolean((await this.#parts.database.get(IS_KEPT))?.keeps_history);
    if (!this.#isKept) return;
    const versions = new Map((await this.#trees()).map(({ user, version }) => [user, version]));
    for (const user of this.#parts.users) {
      const version = versions.get(user) ?? 0;
      const known = this.#states.get(user) ?? new Map<number, ModelTree>();
      this.#states.set(user, known);
      known.set(version, model.treeOf(user));
    }
  }

  /** One of the last versions of a tree, and what it was, unless that was given up. */
  pick(user: number, back: number): { readonly at: number; readonly then: ModelTree | undefined } {
    const known = this.#states.get(user);
    const at = Math.max(0, ...known?.keys() ?? []) - back;
    return at < 0 ? { at: 0, then: known?.get(0) } : { at, then: known?.get(at) };
  }

  /** Each version has what the tree was then. Some are read by all ways: each takes a request for each file. */
  async compare(): Promise<void> {
    for (const [user, states] of this.#states) {
      for (const [version, state] of states) {
        await this.#compareList({ user, version }, state);
        const drawn = (version + states.size) % DRAWN_FILES;
        if (drawn % DRAWN_ARCHIVES === 0) await this.#compareArchive({ user, version }, state);
        if (drawn === 0) await this.#compareFiles({ user, version }, state);
      }
    }
  }

  /**
   * Takes out of all versions what a deletion has purged: the files that were at and below its paths, with all that
   * has the same contents unless the tree has these now, and directories that no version has files in.
   */
  async purged(roots: readonly Omit<ModelRecord, "node">[], model: Model): Promise<void> {
    const { hashOf } = this.#parts;
    for (const [user, own] of Map.groupBy(roots, (root) => root.user)) {
      const states = this.#states.get(user);
      const present = [...model.treeOf(user).values()];
      const living = new Set(present.map(({ id }) => id));
      const held = new Set(present.map(hashOf));
      const gone = new Set<number | undefined>();
      for (const [path, { id }] of states?.values().flatMap((state) => [...state]) ?? []) {
        if (!living.has(id) && own.some((root) => isWithin(path, root.path))) gone.add(id);
      }
      const contents = new Set<string>();
      for (const node of states?.values().flatMap((state) => [...state.values()]) ?? []) {
        if (gone.has(node.id)) contents.add(hashOf(node));
      }
      const isPurged = (node: Node) =>
        gone.has(node.id) || contents.has(hashOf(node)) && !held.has(hashOf(node));
      for (const [version, state] of states ?? []) {
        const left = [...state].filter(([, node]) => node.isDir || !isPurged(node));
        const found = await this.#list(user, { version });
        const isForgotten = ([path, { isDir, id }]: [string, Node]) =>
          isDir && gone.has(id) && !found.has(path) &&
          !left.some(([other, node]) => !node.isDir && isWithin(other, path));
        states?.set(version, new Map(left.filter((entry) => !isForgotten(entry))));
        await this.#compareList({ user, version }, states?.get(version) ?? new Map());
      }
    }
    await this.#onlyKeptContent(model);
  }

  /** Gives up the older versions. They are 404 then, and the others, and what tags name, are as before. */
  async prune(pruning: Pruning, model: Model): Promise<void> {
    const before = "share" in pruning ? await this.#timeAt(pruning.share) : 0;
    const maxBytes = "bytes" in pruning ? pruning.bytes : Infinity;
    const expected = await this.#versionsAt(before);
    await this.#tag(expected);
    await this.#giveUp({ before, maxBytes });
    for (const { user, version, oldest, bytes } of await this.#trees()) {
      if ("share" in pruning) assert.equal(oldest, expected.get(user), `the oldest of ${user}`);
      else assert.ok(bytes <= maxBytes || oldest === version, `history of ${user}: ${bytes} bytes`);
      const states = this.#states.get(user);
      const gone = [...states?.keys() ?? []].filter((it) => it < oldest);
      for (const given of gone) {
        states?.delete(given);
        await assert.rejects(this.#list(user, { version: given }), { kind: "ErrVersionsNotFound" });
      }
      const last = gone.at(-1);
      if (last !== undefined) await this.#isGone({ user, version: last });
      const tagged = this.#tagged.get(user);
      if (tagged !== undefined) await this.#compareTag(user, tagged);
    }
    await this.#onlyKeptContent(model);
  }

  /** Gives up all versions but the present ones, and all tags: nothing is kept for them. */
  async giveUp(): Promise<void> {
    for (const user of this.#tagged.keys()) {
      const reply = await this.#parts.clientOf(user).send("DELETE", "/tags/", {
        query: { name: TAG },
      });
      assert.equal(reply.status, 200, reply.text);
    }
    this.#tagged.clear();
    await this.#giveUp({ before: Date.now() + 60_000, maxBytes: Infinity });
    for (const [user, states] of this.#states) {
      const present = Math.max(...states.keys());
      const pruned = [...states.keys()].find((version) => version < present);
      if (pruned !== undefined) await this.#isGone({ user, version: pruned });
    }
    this.#states.clear();
  }

  async #trees() {
    const rows = await this.#parts.database.all(
      "SELECT user_id, version, oldest, history_bytes FROM tree_versions WHERE oldest <= version",
    );
    return rows.map((row) => ({
      user: Number(row.user_id),
      version: Number(row.version),
      oldest: Number(row.oldest),
      bytes: Number(row.history_bytes),
    }));
  }

  /** When a share of all versions that are kept was made, in milliseconds since the Unix epoch. */
  async #timeAt(share: number): Promise<number> {
    const rows = await this.#parts.database.all(
      "SELECT made_at FROM tree_changes ORDER BY made_at",
    );
    return Number(rows[Math.floor(share * (rows.length - 1))]?.made_at ?? 0);
  }

  /** The version of each tree at a time, or the oldest one. */
  async #versionsAt(time: number): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#parts.database.all(
      `SELECT user_id, max(CASE WHEN made_at <= :time THEN made.version ELSE oldest END) AS version
      FROM tree_versions AS tree JOIN tree_changes AS made USING (user_id)
      WHERE made.version >= oldest GROUP BY user_id`,
      { time },
    );
    return new Map(rows.map(({ user_id: user, version }) => [Number(user), Number(version)]));
  }

  async #giveUp(bounds: HistoryBounds): Promise<void> {
    const { tree } = this.#parts.server;
    for (let done = false; !done;) {
      const step = await tree.records.history?.giveUp(bounds) ?? assert.fail("no history");
      await removeUnreferenced(tree, step.hashes);
      done = step.done;
    }
    await tree.sweeper.finish();
  }

  /** Gives a tag to what each tree was at a version, unless it has one. */
  async #tag(versions: ReadonlyMap<number, number>): Promise<void> {
    for (const [user, version] of versions) {
      const state = this.#states.get(user)?.get(version);
      if (state === undefined || this.#tagged.has(user)) continue;
      const body = { name: TAG, path: "", at: String(version) };
      const reply = await this.#parts.clientOf(user).json("POST", "/tags/", body);
      assert.equal(reply.status, 200, reply.text);
      this.#tagged.set(user, state);
    }
  }

  async #compareTag(user: number, state: ModelTree): Promise<void> {
    const found = await this.#list(user, { name: TAG });
    assert.deepEqual(shown(found), shown(this.#hashes(state)), `the tag of user ${user}`);
  }

  /** Nothing is kept but what a tree, a version of it or a tag has. */
  async #onlyKeptContent(model: Model): Promise<void> {
    const { hashOf, database, server } = this.#parts;
    await server.tree.sweeper.finish();
    const trees = [
      ...this.#states.values().flatMap((it) => [...it.values()]),
      ...this.#tagged.values(),
    ];
    const nodes = [
      ...trees.flatMap((it) => [...it.values()]),
      ...model.records().map(({ node }) => node),
    ];
    const named = new Set(nodes.map(hashOf).filter((hash) => hash !== ""));
    const rows = await database.all("SELECT hash FROM contents");
    const kept = rows.map(({ hash }) => String(hash));
    assert.deepEqual(kept.sort(), [...named].sort(), "C 26: contents that are kept");
  }

  #at({ user, version }: Version, path: string, query: Record<string, string> = {}) {
    return this.#parts.clientOf(user).send("GET", path, {
      query: { ...query, at: String(version), tree: String(user) },
    });
  }

  async #isGone(version: Version): Promise<void> {
    for (const path of ["/resources/", "/resources/stat", "/resources/download"]) {
      refused(await this.#at(version, path, { path: "a" }), 404, "ErrVersionsNotFound");
    }
  }

  /** The hash of each path of a tree as it was. */
  async #list(user: number, at: At): Promise<Map<string, string>> {
    const past = await this.#parts.server.tree.records.history?.at(user, at);
    const found = new Map<string, string>();
    const query = {
      scope: { userId: user, everyone: false },
      recursive: true,
      directories: [],
      chain: [],
    };
    for await (const page of past?.list(query) ?? []) {
      for (const { path, hash } of page) found.set(path, hash);
    }
    return found;
  }

  #hashes(state: ModelTree): Map<string, string> {
    return new Map([...state].map(([path, node]) => [path, this.#parts.hashOf(node)]));
  }

  async #compareList(version: Version, state: ModelTree): Promise<void> {
    const found = await this.#list(version.user, version);
    const label = labelOf(version);
    assert.deepEqual(
      { label, state: shown(found) },
      { label, state: shown(this.#hashes(state)) },
    );
    for (const path of found.keys()) {
      const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
      assert.equal(
        parent === "" ? "" : found.get(parent),
        "",
        `${label}: above ${path}`,
      );
    }
  }

  async #compareFiles(version: Version, state: ModelTree): Promise<void> {
    const label = labelOf(version);
    for (const [path, hash] of this.#hashes(state)) {
      const stat = await this.#at(version, "/resources/stat", { path });
      const { md5, is_dir: isDir } = JSON.parse(stat.text).data;
      assert.deepEqual([md5 ?? "", isDir], [hash, hash === ""], `${label}: ${path}`);
      if (hash === "") continue;
      const bytes = await this.#bytes(version, { path });
      assert.equal(md5Of(bytes), hash, `${label}: bytes of ${path}`);
    }
  }

  async #compareArchive(version: Version, state: ModelTree): Promise<void> {
    const tops = [...state.keys()].filter((path) => !path.includes("/"));
    // One directory is what the names of the archive are below.
    const [top = "", ...others] = tops;
    const files = [...this.#hashes(state)].filter(([, hash]) => hash !== "")
      .map(([path, hash]) => [others.length === 0 ? path.slice(top.length + 1) : path, hash]);
    if (files.length < 2) return;
    const archive = await this.#bytes(version, { "paths[]": tops });
    assert.deepEqual(await filesIn(archive), files.sort(), `${labelOf(version)}: the archive`);
  }

  #bytes({ user, version }: Version, query: QueryParameters) {
    return this.#parts.clientOf(user).bytes({
      ...query,
      at: String(version),
      tree: String(user),
    });
  }
}

const labelOf = ({ user, version }: Version) => `version ${version} of user ${user}`;
const shown = (hashes: ReadonlyMap<string, string>) => [...hashes].sort();
const md5Of = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

/** The names of the files in a ZIP archive, with their hashes, sorted. */
async function filesIn(zip: Uint8Array<ArrayBuffer>): Promise<string[][]> {
  const files: string[][] = [];
  for (const entry of await new ZipReader(new Uint8ArrayReader(zip)).getEntries()) {
    if (entry.directory) continue;
    files.push([entry.filename, md5Of(await entry.getData(new Uint8ArrayWriter()))]);
  }
  return files.sort();
}
