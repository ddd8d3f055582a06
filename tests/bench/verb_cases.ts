import * as assert from "node:assert/strict";
import { dirname } from "node:path";
import { ROOT } from "../support/child_server.ts";
import { HfClient, HUB_VERSIONS } from "../support/hub_clients.ts";
import { run } from "../support/tools.ts";
import {
  type Case,
  type CaseContext,
  type Comparison,
  MB,
  randomFile,
  type Result,
  ROUNDS,
  scaled,
  seconds,
} from "./measures.ts";

const LARGE_BYTES = scaled(2000 * MB);
const SMALL_FILES = scaled(5000);
const SMALL_BYTES = 4096;
const DIRECTORIES = 10;

/** Transfers by the verbs of the package, beside those by the newest `hf` that is installed (C 25). */
export const VERB_CASES: readonly Case[] = [
  {
    name: "a file of 2 GB by put and get, and by hf",
    measure: (context) =>
      transfers(context, "2 GB", (directory) => randomFile(`${directory}/large.bin`, LARGE_BYTES)),
  },
  {
    name: "5 000 files of 4 KiB by put and get, and by hf",
    measure: (context) => transfers(context, "5 000 files", writeSmallFiles),
  },
];

async function writeSmallFiles(directory: string): Promise<void> {
  for (let index = 0; index < SMALL_FILES; index++) {
    const parent = `${directory}/part-${index % DIRECTORIES}`;
    await Deno.mkdir(parent, { recursive: true });
    const content = crypto.getRandomValues(new Uint8Array(SMALL_BYTES));
    await Deno.writeFile(`${parent}/${index}.json`, content);
  }
}

/** Sends directories and receives them, in turn. In each round, they have content that the server never had. */
async function transfers(
  { directory, server, client }: CaseContext,
  size: string,
  fill: (directory: string) => Promise<void>,
): Promise<Result> {
  const [version] = HUB_VERSIONS;
  if (version === undefined) return { comparisons: [], notes: ["hf is not installed"] };
  const { token } = client;
  const hub = new HfClient(version, { endpoint: `${server.origin}/hub`, token, home: directory });
  const command = await buildCommand(directory);
  const env = { STRONGROOM_URL: server.origin, STRONGROOM_TOKEN: token, HOME: directory };
  const verb = async (...args: string[]) => {
    const { code, stderr } = await run(command, args, { cwd: directory, env });
    assert.equal(code, 0, stderr);
  };
  const works = {
    "strongroom put": () => verb("put", "verb", "models/bench/"),
    "hf upload": () => hub.succeed("upload", "bench/hub", `${directory}/hub`, "."),
    "strongroom get": () => verb("get", "models/bench/verb", "back/"),
    "hf download": () => hub.succeed("download", "bench/hub", "--local-dir", "back-by-hub"),
  };
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    for (const sent of ["verb", "hub"]) {
      await Deno.mkdir(`${directory}/${sent}`);
      await fill(`${directory}/${sent}`);
    }
    for (const [name, work] of Object.entries(works)) {
      await run("sync", []);
      const time = await seconds(work);
      // The first round warms up caches and memory.
      if (round > 0) (times[name] ??= []).push(time);
    }
    for (const left of ["verb", "hub", "back", "back-by-hub"]) {
      await Deno.remove(`${directory}/${left}`, { recursive: true });
    }
    await client.remove({ "paths[]": ["models/bench"] });
  }
  const comparison = (title: string, ours: string, other: string): Comparison => ({
    title: `${title} of ${size}`,
    unit: "s",
    values: { [ours]: times[ours] ?? [], [other]: times[other] ?? [] },
  });
  return {
    comparisons: [
      comparison("upload", "strongroom put", "hf upload"),
      comparison("download", "strongroom get", "hf download"),
    ],
    notes: [`hf of huggingface_hub ${version.version}`],
  };
}

/** Builds the package below a directory. Returns its command. */
export async function buildCommand(directory: string): Promise<string> {
  const modules = `${directory}/command/node_modules`;
  const { code, stderr } = await run(
    Deno.execPath(),
    ["task", "-q", "package", `--output=${modules}/strongroom`],
    { cwd: ROOT },
  );
  assert.equal(code, 0, stderr);
  await Deno.symlink(dirname(Deno.execPath()), `${modules}/deno`);
  return `${modules}/strongroom/bin/strongroom`;
}
