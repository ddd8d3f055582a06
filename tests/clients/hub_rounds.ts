/** Downloads of commits of a repository, while others make commits and history is given up (C 26). */

import * as assert from "node:assert/strict";
import { commit, committed, HubClient, jsonOf, lines } from "../support/hub.ts";
import type { HfClient } from "../support/hub_clients.ts";
import { seededRandom } from "../support/random.ts";
import type { TestServer } from "../support/server.ts";

export const ROUNDS_REPOSITORY = "team/rounds";
const FILES = ["config.json", "model/a.txt", "model/b.txt"];
/** How many clients commit at once. */
const COMMITTERS = 4;
/** Between two commits of a client, so that downloads have a part of the processors. */
const PAUSE_MS = 20;
/** The history that is kept at least: of some hundred commits. */
const KEPT_BYTES = 40_000;
/** How many rounds there are between two times that history is given up. */
const ROUNDS_KEPT = 10;

/** What became of the rounds. */
export interface Rounds {
  /** Commits that were read whole. */
  read: number;
  /** Those that were not kept any more. */
  gone: number;
  /** How many commits were made meanwhile. */
  commits: number;
}

/** Reads the files of a commit. Returns undefined if it is `RevisionNotFound`. */
export type ReadCommit = (id: string) => Promise<ReadonlyMap<string, string> | undefined>;

export interface RoundsOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly read: ReadCommit;
  /** Called after each round. */
  readonly progress?: (total: Rounds) => void;
}

/** Reads commits at random beside clients that commit. Each has exactly what its commit had, or is refused as a whole. */
export async function readCommits(
  server: TestServer,
  { rounds, seed, read, progress }: RoundsOptions,
): Promise<Rounds> {
  const hub = new HubClient(server, await server.as(1));
  jsonOf(await hub.create(ROUNDS_REPOSITORY));
  const random = seededRandom(seed);
  const ids: string[] = [];
  /** What all files of a commit say. */
  const texts = new Map<string, string>();
  const first = Promise.withResolvers<void>();
  let goesOn = true;
  const committing = Promise.all(Array.from({ length: COMMITTERS }, async (_, client) => {
    for (let count = 0; goesOn; count++) {
      const text = `${client} ${count} ${"x".repeat(100)}`;
      const files = FILES.map((path) => lines.file(path, text));
      const id = committed(await commit(hub, ROUNDS_REPOSITORY, ...files));
      ids.push(id);
      texts.set(id, text);
      first.resolve();
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }));
  const total: Rounds = { read: 0, gone: 0, commits: 0 };
  try {
    await Promise.race([first.promise, committing]);
    for (let round = 1; round <= rounds; round++) {
      const id = ids[random(ids.length)] ?? assert.fail("no commit");
      const found = await read(id);
      if (found === undefined) total.gone++;
      else {
        total.read++;
        const expected = FILES.map((path) => [path, texts.get(id)]).sort();
        assert.deepEqual({ id, files: [...found].sort() }, { id, files: expected });
      }
      if (round % ROUNDS_KEPT === 0) {
        await server.tree.records.history?.giveUp({ before: 0, maxBytes: KEPT_BYTES });
      }
      progress?.({ ...total, commits: ids.length });
    }
  } finally {
    goesOn = false;
    await committing;
  }
  return { ...total, commits: ids.length };
}

/** Reads commits by `hf download --revision`. */
export function readByHf(client: HfClient): ReadCommit {
  let round = 0;
  const read: ReadCommit = async (id) => {
    const directory = `${client.options.home}/${++round}`;
    const { code, stdout, stderr } = await client.hf(
      ...["download", ROUNDS_REPOSITORY, "--revision", id, "--local-dir", directory],
    );
    try {
      if (code === 0) return await textsBelow(directory);
      // The client stops asking sooner than the server has looked through all commits.
      if (stderr.includes("are not known yet")) return await read(id);
      // What the client says of a RevisionNotFound.
      assert.match(stdout + stderr, /Revision .*not found|RevisionNotFound/i);
      return undefined;
    } finally {
      await Deno.remove(directory, { recursive: true }).catch(() => {});
    }
  };
  return read;
}

/** The files that a commit brought, and not those that the client and the repository keep for themselves. */
async function textsBelow(directory: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const walk = async (prefix: string) => {
    for await (const { name, isDirectory } of Deno.readDir(`${directory}/${prefix}`)) {
      const path = prefix + name;
      if ([".cache", ".gitattributes"].includes(path)) continue;
      if (isDirectory) await walk(`${path}/`);
      else found.set(path, await Deno.readTextFile(`${directory}/${path}`));
    }
  };
  await walk("");
  return found;
}
