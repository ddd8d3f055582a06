/** What the fuzzer knows of the versions of trees (C 26), and how it reads them back. */

import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import type { ResourceRecord } from "../../core/ports.ts";
import { removeUnreferenced } from "../../core/tree/sweeper.ts";
import { type Client, items, refused } from "../support/client.ts";
import { pastFaults } from "../support/past_faults.ts";
import type { TestServer } from "../support/server.ts";
import type { TestDatabase } from "../support/test_database.ts";

/** The paths of a tree with their hashes, "" for a directory. */
type State = ReadonlyMap<string, string>;

export interface KeptVersionsParts {
  readonly server: TestServer;
  readonly database: TestDatabase;
  /** The client of a user. */
  readonly clientOf: (userId: number) => Client;
  /** The content with a hash. */
  readonly contentWith: (hash: string) => Uint8Array<ArrayBuffer> | undefined;
}

/** Each version of each tree that was the present one at some time. */
export class KeptVersions {
  readonly #parts: KeptVersionsParts;
  readonly #states = new Map<number, Map<number, State>>();

  constructor(parts: KeptVersionsParts) {
    this.#parts = parts;
  }

  /** Notes what the trees are now. */
  async note(records: readonly ResourceRecord[]): Promise<void> {
    const rows = await this.#parts.database.all(
      "SELECT user_id, version FROM tree_versions WHERE oldest <= version",
    );
    for (const { user_id: user, version } of rows) {
      const own = records.filter(({ userId }) => userId === Number(user));
      const known = this.#states.get(Number(user)) ?? new Map<number, State>();
      this.#states.set(Number(user), known);
      known.set(Number(version), new Map(own.map(({ path, hash }) => [path, hash])));
    }
  }

  /** Each version has what the tree was then, by all ways to read it: a list, files, checksums and archives. */
  async compare(): Promise<void> {
    for (const [user, states] of this.#states) {
      for (const [version, state] of states) {
        await this.#compareList(user, version, state);
        // All ways for some of them: each takes a request for each file.
        if ((version + states.size) % 5 === 0) await this.#compareContents(user, version, state);
      }
      await this.#compareRestored(user, states);
    }
    assert.deepEqual(await pastFaults(this.#parts.database), []);
  }

  /** Gives up all versions but the present ones: those read no more, and keep nothing. */
  async giveUp(): Promise<void> {
    const { server } = this.#parts;
    const { history } = server.tree.records;
    for (let done = history === undefined; !done;) {
      const step = await history?.giveUp({ before: Date.now() + 60_000, maxBytes: Infinity });
      await removeUnreferenced(server.tree, step?.hashes ?? []);
      done = step?.done ?? true;
    }
    for (const [user, states] of this.#states) {
      const present = Math.max(...states.keys());
      const [pruned] = [...states.keys()].filter((version) => version < present);
      if (pruned === undefined) continue;
      const reply = await this.#at(user, "/resources/", pruned, { recursive: "true" });
      refused(reply, 404, "ErrVersionsNotFound");
    }
    this.#states.clear();
  }

  #at(user: number, path: string, version: number, query: Record<string, string> = {}) {
    return this.#parts.clientOf(user).send("GET", path, {
      query: { ...query, at: String(version), tree: String(user) },
    });
  }

  async #compareList(user: number, version: number, state: State): Promise<void> {
    const { records } = this.#parts.server.tree;
    const past = await records.history?.at(user, { version });
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
    const label = `version ${version} of user ${user}`;
    assert.deepEqual([...found].sort(), [...state].sort(), label);
  }

  async #compareContents(user: number, version: number, state: State): Promise<void> {
    const label = `version ${version} of user ${user}`;
    for (const [path, hash] of state) {
      const stat = await this.#at(user, "/resources/stat", version, { path });
      const { md5, is_dir: isDir } = JSON.parse(stat.text).data;
      assert.deepEqual([md5 ?? "", isDir], [hash, hash === ""], `${label}: ${path}`);
      if (hash === "") continue;
      const at = { path, at: String(version), tree: String(user) };
      const bytes = await this.#parts.clientOf(user).bytes(at);
      assert.ok(Buffer.from(this.#contentWith(hash)).equals(bytes), `${label}: bytes of ${path}`);
    }
    const tops = [...state.keys()].filter((path) => !path.includes("/"));
    // One directory is what the names of the archive are below.
    const [top = "", ...others] = tops;
    const files = [...state].filter(([, hash]) => hash !== "")
      .map(([path]) => others.length === 0 ? path.slice(top.length + 1) : path).sort();
    if (files.length < 2) return;
    const archive = await this.#parts.clientOf(user).download({
      "paths[]": tops,
      at: String(version),
      tree: String(user),
    });
    assert.equal(archive.status, 200, label);
    const zip = new Uint8Array(await archive.arrayBuffer());
    assert.deepEqual(
      { label, names: namesIn(zip).sort() },
      { label, names: files },
    );
  }

  /** A folder of an old version comes back as it was. */
  async #compareRestored(user: number, states: ReadonlyMap<number, State>): Promise<void> {
    const versions = [...states].filter(([, state]) => state.has("a") && state.get("a") === "");
    const [version, state] = versions[Math.floor(versions.length / 2)] ?? [];
    if (version === undefined || state === undefined) return;
    const client = this.#parts.clientOf(user);
    const body = { path: "a", at: version, destination: "restored" };
    const reply = await client.json("POST", `/resources/restore?tree=${user}`, body);
    assert.equal(reply.status, 200, reply.text);
    const query = { path: "restored", recursive: "true", tree: String(user) };
    const found = items(await client.list(query)).map(({ path }) => path.replace("restored", "a"));
    const expected = [...state.keys()].filter((path) => path === "a" || path.startsWith("a/"));
    assert.deepEqual(found.sort(), expected.sort(), `restored of version ${version}`);
  }

  #contentWith(hash: string): Uint8Array<ArrayBuffer> {
    return this.#parts.contentWith(hash) ?? assert.fail(`no content has ${hash}`);
  }
}

/** The names in the central directory of a ZIP archive. */
function namesIn(zip: Uint8Array<ArrayBuffer>): string[] {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  const names: string[] = [];
  for (let at = 0; at + 46 <= zip.length; at++) {
    if (view.getUint32(at, true) !== 0x02014b50) continue;
    const length = view.getUint16(at + 28, true);
    const name = new TextDecoder().decode(zip.subarray(at + 46, at + 46 + length));
    if (!name.endsWith("/")) names.push(name);
    at += 45 + length;
  }
  return names;
}
