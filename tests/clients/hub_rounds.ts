/** Readers of commits of a repository, while others make commits and history is given up (C 26). */

import * as assert from "node:assert/strict";
import * as v from "valibot";
import type { Reply } from "../support/client.ts";
import { commit, committed, HubClient, hubRefused, jsonOf, lines } from "../support/hub.ts";
import { seededRandom } from "../support/random.ts";
import type { TestServer } from "../support/server.ts";

const REPOSITORY = "team/rounds";
const FILES = ["config.json", "model/a.txt", "model/b.txt"];
/** How many clients commit at once. */
const COMMITTERS = 4;
/** The history that is kept at least: of some hundred commits. */
const KEPT_BYTES = 40_000;
/** How many rounds there are between two times that history is given up. */
const ROUNDS_KEPT = 10;

const Tree = v.array(v.object({ type: v.string(), path: v.string() }));

export interface Rounds {
  /** Commits that were read whole. */
  read: number;
  /** Those that were not kept any more. */
  gone: number;
}

/** Reads a commit, in place of {@link readByHttp}. Returns its files, or undefined if there is none any more. */
export type ReadCommit = (id: string) => Promise<ReadonlyMap<string, string> | undefined>;

/**
 * Reads commits at random beside clients that commit. Each has exactly what its commit had, or is refused as a
 * whole: all files of a commit say the same.
 */
export async function readCommits(
  server: TestServer,
  { rounds, seed, read }: {
    readonly rounds: number;
    readonly seed: number;
    /** @default {@link readByHttp} */
    readonly read?: ReadCommit;
  },
): Promise<Rounds> {
  const hub = new HubClient(server, await server.as(1));
  jsonOf(await hub.create(REPOSITORY));
  const random = seededRandom(seed);
  const made: string[] = [];
  /** What all files of a commit say. */
  const texts = new Map<string, string>();
  let goesOn = true;
  const committing = Promise.all(Array.from({ length: COMMITTERS }, async (_, client) => {
    for (let count = 0; goesOn; count++) {
      const text = `${client} ${count} ${"x".repeat(100)}`;
      const reply = await commit(hub, REPOSITORY, ...FILES.map((path) => lines.file(path, text)));
      // Somebody else may have made one at the same time, whose id that may be.
      if (reply.status === 200) made.push(committed(reply));
      else assert.ok([409, 412, 429].includes(reply.status), reply.text);
    }
  }));
  const total: Rounds = { read: 0, gone: 0 };
  try {
    for (let round = 0; round < rounds;) {
      const id = made[random(made.length + 1)];
      if (id === undefined) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        continue;
      }
      const found = await (read ?? ((id) => readByHttp(hub, id)))(id);
      if (found === undefined) total.gone++;
      else {
        total.read++;
        const [text = ""] = found.values();
        const expected = FILES.map((path): [string, string] => [path, text]).sort();
        assert.deepEqual({ id, files: [...found].sort() }, { id, files: expected });
        assert.equal(texts.get(id) ?? text, text, `${id} has other files than before`);
        texts.set(id, text);
      }
      if (++round % ROUNDS_KEPT === 0) {
        await server.tree.records.history?.giveUp({ before: 0, maxBytes: KEPT_BYTES });
      }
    }
  } finally {
    goesOn = false;
    await committing;
  }
  return total;
}

/** Lists a commit, and reads its files, as `hf download --revision` does. */
async function readByHttp(hub: HubClient, id: string) {
  const list = await patient(() =>
    hub.send("GET", `/api/models/${REPOSITORY}/tree/${id}?recursive=true`)
  );
  if (list.status === 404) return gone(list);
  const files = v.parse(Tree, jsonOf(list)).filter(({ type }) => type === "file");
  const found = new Map<string, string>();
  for (const { path } of files) {
    const reply = await patient(() => hub.send("GET", `/${REPOSITORY}/resolve/${id}/${path}`));
    if (reply.status === 404) return gone(reply);
    assert.equal(reply.status, 200, reply.text);
    if (path !== ".gitattributes") found.set(path, reply.text);
  }
  return found;
}

/** Asks again while the server asks for that, as clients do. */
async function patient(send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await send();
    const wait = reply.headers.get("Retry-After");
    if (wait === null) return reply;
    await new Promise((resolve) => setTimeout(resolve, Number(wait) * 1000));
  }
}

function gone(reply: Reply): undefined {
  hubRefused(reply, 404, "RevisionNotFound");
}
