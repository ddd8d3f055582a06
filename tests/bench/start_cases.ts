import * as assert from "node:assert/strict";
import { ChildServer } from "../support/child_server.ts";
import { run } from "../support/tools.ts";
import { fillDirectory } from "./large_directory.ts";
import {
  type Case,
  compare,
  type Comparison,
  curl,
  peakMemory,
  ROUNDS,
  scaled,
  seconds,
} from "./measures.ts";
import { buildCommand } from "./verb_cases.ts";

const RECORDS = scaled(200_000);

/** Starts of a command that are timed together. */
const STARTS = scaled(20);
/** Commands that open no database. Those that do load the storage, too. */
const LIGHT_COMMANDS: readonly string[] = ["version", "help", "permissions", "config", "ls --help"];

/** Cases of commands, and of a data directory with many records. */
export const START_CASES: readonly Case[] = [
  {
    name: "start and listing with 200 000 records",
    async measure({ directory }) {
      const dataDir = `${directory}/large`;
      await fillDirectory(dataDir, { records: RECORDS, fileEvery: 5, bytes: 1000 });
      const starts: { orderly: number[]; killed: number[] } = { orderly: [], killed: [] };
      const rates: number[] = [];
      let memory = "";
      /** Starts a server, and ends it. Returns how long the start took, in seconds. */
      const start = async (end: "SIGKILL" | "SIGTERM") => {
        const begun = performance.now();
        await using server = await ChildServer.start({ dataDir });
        const time = (performance.now() - begun) / 1000;
        const client = await server.as(1);
        const list = () => curl(client, `${client.url}/resources/?path=big&recursive=true`);
        rates.push(RECORDS / await seconds(list));
        memory = await peakMemory(server.pid);
        await server.end(end);
        return time;
      };
      for (let round = 0; round < ROUNDS; round++) {
        starts.orderly.push(await start("SIGKILL"));
        starts.killed.push(await start("SIGTERM"));
      }
      const comparisons: readonly Comparison[] = [
        {
          title: "start with 200 000 records",
          unit: "s",
          values: { "after kill -9": starts.killed, "after an orderly stop": starts.orderly },
        },
        { title: "records of a listing of 200 000", unit: "/s", values: { strongroom: rates } },
      ];
      return { comparisons, notes: [memory] };
    },
  },
  {
    name: "start of commands of the package",
    async measure({ directory }) {
      const root = `${directory}/command`;
      const command = await buildCommand(directory);
      await Deno.writeTextFile(`${root}/empty.ts`, "");
      const start = (command: string, ...args: string[]) => async () => {
        for (let count = 0; count < STARTS; count++) {
          assert.equal((await run(command, args, { cwd: root })).code, 0);
        }
      };
      const times = await compare({
        empty: start(Deno.execPath(), "run", "--quiet", "empty.ts"),
        ...Object.fromEntries(LIGHT_COMMANDS.map((it) => [it, start(command, ...it.split(" "))])),
      });
      const comparisons = LIGHT_COMMANDS.map((it): Comparison => ({
        title: `${STARTS} starts of strongroom ${it}`,
        unit: "s",
        values: { strongroom: times[it] ?? [], "deno run of an empty file": times["empty"] ?? [] },
      }));
      return { comparisons, notes: [] };
    },
  },
];
