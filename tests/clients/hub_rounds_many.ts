/**
 * `deno task test:rounds [--rounds=N] [--seed=N]`: downloads commits by `hf download --revision` beside four clients
 * that commit, 200 times. The server uses the engines that TEST_ENGINES names.
 */

import { parseArgs } from "node:util";
import { HfClient, HUB_VERSIONS } from "../support/hub_clients.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { readByHf, readCommits } from "./hub_rounds.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "200" }, seed: { type: "string" } },
});
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const [version] = HUB_VERSIONS;
if (version === undefined) throw new Error("huggingface_hub is not installed");

// Printed first, so that it is known even after a crash.
console.log(`the seed is ${seed}, huggingface_hub ${version.version}`);
await using directory = await TempDir.make();
await using server = await TestServer.start({ settings: { history: 86_400_000 } });
const client = new HfClient(version, {
  endpoint: `${server.origin}/hub`,
  token: await mintToken({ userId: 1, privileges: USER_PRIVILEGES }),
  home: directory.path,
});
await readCommits(server, {
  rounds: Number(values.rounds),
  seed,
  read: readByHf(client),
  progress: ({ read, gone, commits }) =>
    console.log(`${read} commits of ${commits} as they were, ${gone} RevisionNotFound`),
});
