import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { childrenOf } from "../support/processes.ts";
import { until } from "../support/until.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { type Case, compare, expectOk, ROUNDS } from "./measures.ts";

const FILES = 300;

/** Cases of the gate: of a server whose gate blocks beside one whose gate is off, and of its first verdict. */
export const GATE_CASES: readonly Case[] = [
  {
    name: `downloads and a ZIP of ${FILES} small files, with the gate off and blocking`,
    async measure({ directory, client }) {
      await using gated = await ChildServer.start({
        dataDir: `${directory}/gated`,
        env: { STRONGROOM_GATE: "block" },
      });
      const blocking = await gated.as(1);
      for (const one of [client, blocking]) await expectOk(one.upload("small", smallFiles()));
      await settledVerdicts(blocking, "small");
      const downloads = await compare({
        "gate off": () => downloadAll(client),
        "blocking": () => downloadAll(blocking),
      });
      const zips = await compare({
        "gate off": () => client.bytes({ path: "small" }),
        "blocking": () => blocking.bytes({ path: "small" }),
      });
      return {
        comparisons: [
          { title: "downloads", unit: "s", values: downloads },
          { title: "a ZIP", unit: "s", values: zips },
        ],
        notes: [],
      };
    },
  },
  {
    name: "the first verdict of a server without a scanner",
    async measure({ directory }) {
      await using server = await ChildServer.start({
        dataDir: `${directory}/first`,
        env: { STRONGROOM_GATE: "mark" },
      });
      const client = await server.as(1);
      const values: number[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        // Scanners end when they have had no file for a while, and the server is left.
        await until(async () => (await childrenOf(server.supervisorPid)).size === 1);
        await expectOk(client.upload("first", { [`${round}.pkl`]: `I${round}\n.` }));
        const start = performance.now();
        await settledVerdicts(client, "first");
        // The first round warms up caches and memory.
        if (round > 0) values.push((performance.now() - start) / 1000);
      }
      const comparison = {
        title: "from the reply to the verdict",
        unit: "s",
        values: { strongroom: values },
      } as const;
      return { comparisons: [comparison], notes: [] };
    },
  },
];

function smallFiles(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: FILES }, (_, it) => [`${it}.txt`, `text ${it}`]));
}

async function downloadAll(client: Client): Promise<void> {
  for (let file = 0; file < FILES; file++) await client.bytes({ path: `small/${file}.txt` });
}
