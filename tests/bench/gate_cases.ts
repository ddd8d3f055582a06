import { ChildServer } from "../support/child_server.ts";
import type { Client } from "../support/client.ts";
import { settledVerdicts } from "../support/verdicts.ts";
import { type Case, compare, expectOk } from "./measures.ts";

const FILES = 300;

/** Cases that compare a server whose gate blocks with one whose gate is off. */
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
];

function smallFiles(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: FILES }, (_, it) => [`${it}.txt`, `text ${it}`]));
}

async function downloadAll(client: Client): Promise<void> {
  for (let file = 0; file < FILES; file++) await client.bytes({ path: `small/${file}.txt` });
}
