import { LargeHub, weights } from "../large/large_hub.ts";
import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { USER_PRIVILEGES } from "../support/server.ts";
import {
  type Case,
  compare,
  type Comparison,
  curl,
  MB,
  peakMemory,
  plainCurl,
  ROUNDS,
  scaled,
} from "./measures.ts";

const BYTES = scaled(512 * MB);
/** What a network of 1 Gbit/s lets through. */
const NETWORK = 125 * MB;
const OWN = "own/model";

/** Files of another hub, with the gate at `block`: scanned before anybody has the last of their bytes (C 28). */
export const MIRROR_CASES: readonly Case[] = [
  {
    name: "mirror: 512 MB, cold and warm",
    async measure({ directory }) {
      await using parts = await mirrored(directory);
      const comparisons = [await cold(parts), await warm(parts)];
      return { comparisons, notes: [await peakMemory(parts.server.pid)] };
    },
  },
];

interface Mirrored {
  readonly hub: LargeHub;
  readonly server: ChildServer;
  readonly client: Client;
}

/** A hub with a file for each round, and a server that mirrors it. */
async function mirrored(directory: string): Promise<Mirrored & AsyncDisposable> {
  await using parts = new AsyncDisposableStack();
  await Deno.mkdir(`${directory}/hub`);
  const hub = parts.use(new LargeHub(`${directory}/hub`, NETWORK));
  for (let round = 0; round <= ROUNDS; round++) {
    await hub.add(nameOf(round), weights(BYTES), { size: BYTES, rest: "random" });
  }
  const server = parts.use(
    await ChildServer.start({ dataDir: `${directory}/mirror`, env: hub.env }),
  );
  const client = await server.as(1, [...USER_PRIVILEGES, "mirror.use"]);
  const owned = parts.move();
  return { hub, server, client, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function nameOf(round: number): string {
  return `w${round}.safetensors`;
}

/** Downloads by the address of the hub, as its clients do. */
function resolve({ server, client }: Mirrored, path: string): Promise<void> {
  return curl(client, "-L", "--location-trusted", "--retry", "60", `${server.origin}/hub/${path}`);
}

/** Files that are not here yet, each once. */
async function cold(parts: Mirrored): Promise<Comparison> {
  let round = 0;
  const values = await compare({
    "the mirror": () => resolve(parts, `org/large/resolve/main/${nameOf(round)}`),
    "curl from the hub": () => plainCurl(parts.hub.contentUrl(nameOf(round))),
  }, () => Promise.resolve(void round++));
  return { title: "cold: 512 MB from a hub at 1 Gbit/s", unit: "s", values };
}

/** A file that is here, and one of one's own. */
async function warm(parts: Mirrored): Promise<Comparison> {
  const { hub, client } = parts;
  const name = nameOf(0);
  await curl(client, "-T", hub.pathOf(name), `${client.url}/files/models/${OWN}/${name}`);
  const values = await compare({
    "the mirror": () => resolve(parts, `org/large/resolve/main/${name}`),
    "an own file": () => resolve(parts, `${OWN}/resolve/main/${name}`),
  });
  return { title: "warm: 512 MB", unit: "s", values };
}
