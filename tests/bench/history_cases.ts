import { orMissing } from "../../storage/disk/files.ts";
import { ChildServer } from "../support/child_server.ts";
import type { Client, Reply } from "../support/client.ts";
import { noise } from "../support/random.ts";
import { type Case, ROUNDS, scaled } from "./measures.ts";

const REQUESTS = scaled(200);
const CLIENTS = 4;
const FILE_BYTES = 1024;
/** Records of a change that is one request. */
const MANY = scaled(5000);
/** What changes have kept is put into order within this time: that work counts, too. */
const SETTLED_MS = 1100;

/** The settings that are compared. */
const KEPT = ["30d", "off"] as const;

/** Requests of one kind. All servers get the same. */
interface Operation {
  readonly name: string;
  readonly send: (client: Client, round: number) => Promise<unknown>;
}

/** What history costs (C 26): the same requests to a server that keeps it and to one that does not, in turn. */
export const HISTORY_CASES: readonly Case[] = [
  {
    name: "history: operations with it and without",
    async measure({ directory }) {
      await using parts = new AsyncDisposableStack();
      const servers = await Promise.all(KEPT.map(async (history) => {
        const dataDir = `${directory}/history-${history}`;
        const server = await ChildServer.start({ dataDir, env: { STRONGROOM_HISTORY: history } });
        parts.use(server);
        return { history, server, client: await server.as(1) };
      }));
      for (const { client } of servers) await fill(client);
      const values = new Map<string, Record<string, number[]>>();
      const note = (title: string, history: string, taken: number) => {
        const own = values.get(title) ?? Object.fromEntries(KEPT.map((it) => [it, []]));
        values.set(title, own);
        own[history]?.push(taken);
      };
      for (let round = 0; round <= ROUNDS; round++) {
        for (const { name, send } of OPERATIONS) {
          // The one that is first has the cold caches of the processor.
          for (
            const { history, server, client } of round % 2 === 0 ? servers : [...servers].reverse()
          ) {
            const before = await processorSeconds(server.pid);
            await send(client, round);
            const replied = await processorSeconds(server.pid);
            await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
            const settled = await processorSeconds(server.pid);
            // The first round warms up caches and memory.
            if (round === 0) continue;
            note(`${name}, until they are replied to`, history, replied - before);
            note(`${name}, with upkeep`, history, settled - before);
          }
        }
      }
      return {
        comparisons: [...values].map(([name, of]) => ({
          title: `${name}: time of the processor that the server takes`,
          unit: "s",
          values: of,
        })),
        notes: [`${CLIENTS} clients; files of ${FILE_BYTES} bytes; a ratio below 1: history costs`],
      };
    },
  },
];

const OPERATIONS: readonly Operation[] = [
  requests("uploads", (client, it) => client.put(`new/${it}`, contentOf(`${it}`))),
  requests("replacements", (client, it, index) => client.put(`kept/${index}`, contentOf(it))),
  requests(
    "moves",
    (client, it) => client.move({ source: `new/${it}`, destination: `moved/${it}` }),
  ),
  requests(
    "copies",
    (client, it) => client.copy({ source: `moved/${it}`, destination: `new/${it}` }),
  ),
  requests("deletions", (client, it) => client.remove({ path: `moved/${it}` })),
  requests("downloads", (client, _it, index) => client.send("GET", `/files/kept/${index}`)),
  requests("listings of 100", (client) => client.list({ path: "list" })),
  requests(
    "stat",
    (client, _it, index) =>
      client.send("GET", "/resources/stat", { query: { path: `kept/${index}` } }),
  ),
  {
    name: `copy of ${MANY}`,
    send: (client) => done(client.copy({ source: "many", destination: "other" })),
  },
  {
    name: `move of ${MANY}`,
    send: (client) => done(client.move({ source: "other", destination: "another" })),
  },
  {
    name: `deletion of ${MANY}`,
    send: (client) => done(client.remove({ path: "another" })),
  },
];

/** Many requests, each with a text that no other one of its kind has, and its index in the round. */
function requests(
  name: string,
  send: (client: Client, text: string, index: number) => ReturnType<Client["send"]>,
): Operation {
  return {
    name: `${REQUESTS} ${name}`,
    async send(client, round) {
      let next = 0;
      await Promise.all(Array.from({ length: CLIENTS }, async () => {
        while (next < REQUESTS) {
          const index = next++;
          await done(send(client, `${round}-${index}`, index));
        }
      }));
    },
  };
}

async function done(reply: Promise<Reply>): Promise<void> {
  const { status, text } = await reply;
  if (status >= 300) throw new Error(text);
}

async function fill(client: Client): Promise<void> {
  for (const path of ["new", "moved"]) await done(client.mkdir(path));
  for (let index = 0; index < REQUESTS; index++) {
    await done(client.put(`kept/${index}`, contentOf(`first ${index}`)));
  }
  await done(client.upload("list", filesOf(100, "")));
  for (let from = 0; from < MANY; from += 500) {
    await done(client.upload("many", filesOf(Math.min(500, MANY - from), `${from}-`)));
  }
}

function filesOf(count: number, prefix: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`${prefix}${at}`, `${at}`]));
}

function contentOf(text: string): Uint8Array<ArrayBuffer> {
  const bytes = noise(FILE_BYTES);
  bytes.set(new TextEncoder().encode(text));
  return bytes;
}

/** How long the processors have worked for a process. Ticks of 10 ms would not tell changes of a few apart. */
async function processorSeconds(pid: number): Promise<number> {
  const tasks = `/proc/${pid}/task`;
  let nanoseconds = 0;
  for (const { name } of Deno.readDirSync(tasks)) {
    const stat = await orMissing(Deno.readTextFile(`${tasks}/${name}/schedstat`));
    nanoseconds += Number(stat?.split(" ")[0] ?? 0);
  }
  return nanoseconds / 1e9;
}
