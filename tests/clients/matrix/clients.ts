/** The clients of the matrix, which programs of `tests/clients/hub/matrix` drive call by call. */

import * as v from "valibot";
import { ROOT } from "../../support/child_server.ts";
import { CuttingProxy } from "../../support/cutting_proxy.ts";
import { HUB_ENVIRONMENT, type HubVersion, versionOf } from "../../support/hub_clients.ts";
import { mintToken, TestServer, USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram, run } from "../../support/tools.ts";

/** What became of a call. Words are what its caller sees. */
const Outcome = v.object({
  call: v.string(),
  outcome: v.picklist(["works", "refused", "not there"]),
  words: v.string(),
});
export type Outcome = v.InferOutput<typeof Outcome>;

/** A program, and who runs it. */
export interface Client {
  /** The client with its version. */
  readonly name: string;
  readonly command: readonly string[];
  /** Files that are there before, by their path. */
  readonly files?: Readonly<Record<string, string>>;
}

const PROGRAMS = `${ROOT}tests/clients/hub/matrix`;

/** The libraries that use `huggingface_hub`, and the programs for them. */
const LIBRARIES = { datasets: "data_sets", transformers: "model_library" };

/** The programs for a version of `huggingface_hub`. */
export function hubClients({ version, python }: HubVersion): Client[] {
  return ["reading", "writing", "file_system", "command_lines"]
    .map((program) => pythonClient(version, python, program));
}

/** The programs for libraries that directories of programs have. */
export async function libraryClients(directories: readonly string[]): Promise<Client[]> {
  const clients = new Map<string, Client>();
  for (const directory of directories) {
    for (const [library, program] of Object.entries(LIBRARIES)) {
      const python = `${directory}/python3`;
      const version = await versionOf(python, library);
      const name = `${library} ${version}`;
      if (version !== undefined) clients.set(name, pythonClient(name, python, program));
    }
  }
  return [...clients.values()];
}

function pythonClient(name: string, python: string, program: string): Client {
  return { name, command: [python, `${PROGRAMS}/${program}.py`] };
}

/** The npm package, or why it is skipped. */
export async function npmClient(): Promise<Client | string> {
  const directory = Deno.env.get("HUB_NPM");
  if (directory === undefined) {
    return "the npm package (name the directory where @huggingface/hub is installed in HUB_NPM)";
  }
  if (!await hasProgram("node", "--version")) return "the npm package (node is not installed)";
  return { name: "npm", command: ["node", `${PROGRAMS}/npm.mjs`, directory] };
}

/** The crate, or why it is skipped. Cargo builds its program where HUB_RUST says. */
export async function rustClient(): Promise<Client | string> {
  const target = Deno.env.get("HUB_RUST");
  if (target === undefined) return "the crate hf-hub (name a directory to build in in HUB_RUST)";
  const manifest = `${ROOT}tests/clients/hub/rust/Cargo.toml`;
  const args = [
    "build",
    "--quiet",
    "--locked",
    "--manifest-path",
    manifest,
    "--target-dir",
    target,
  ];
  const { code, stderr } = await run("cargo", args);
  if (code !== 0) throw new Error(stderr);
  const files = {
    "models/team/rust/config.json": "{}",
    "models/team/rust/notes/a.txt": "a\n",
    "datasets/team/rust/rows.csv": "a,b\n",
  };
  return { name: "rust", command: [`${target}/debug/rust-client`], files };
}

/** Git LFS, or why it is skipped. */
export async function gitLfsClient(): Promise<Client | string> {
  if (!await hasProgram("git-lfs", "version")) return "Git LFS (it is not installed)";
  return pythonClient("git lfs", "python3", "git_lfs");
}

/** How much of a download arrives before it is cut. */
const CUT_AFTER = 40_000;

/** Runs all calls of clients, those of one name as a user of its own, and returns the outcomes by the names. */
export async function drive(
  clients: readonly Client[],
  begun: (client: Client) => void = () => {},
): Promise<Map<string, Outcome[]>> {
  await using server = await TestServer.start();
  const outcomes = new Map<string, Outcome[]>();
  const users = [...new Set(clients.map(({ name }) => name))];
  for (const client of clients) {
    begun(client);
    const received = await driveOne(server, client, users.indexOf(client.name) + 1);
    outcomes.set(client.name, [...outcomes.get(client.name) ?? [], ...received]);
  }
  return outcomes;
}

async function driveOne(server: TestServer, client: Client, userId: number): Promise<Outcome[]> {
  const [program = "", ...args] = client.command;
  const user = await server.as(userId);
  for (const [path, content] of Object.entries(client.files ?? {})) await user.put(path, content);
  await using home = await TempDir.make();
  await using proxy = new CuttingProxy(server.origin);
  let isCut = false;
  proxy.cutAfter = ({ method, url }) => {
    if (isCut || method !== "GET" || !url.includes("/hub/api/content/")) return undefined;
    isCut = true;
    return CUT_AFTER;
  };
  const weak = await mintToken({ userId, privileges: ["resources.view"] });
  await Deno.writeTextFile(`${home.path}/weak`, weak);
  const { code, stdout, stderr } = await run(program, args, {
    cwd: home.path,
    clearEnv: true,
    env: {
      ...HUB_ENVIRONMENT,
      HOME: home.path,
      PYTHONDONTWRITEBYTECODE: "1",
      HF_ENDPOINT: `${server.origin}/hub`,
      CUT_ENDPOINT: `${proxy.origin}/hub`,
      HF_TOKEN: await mintToken({ userId, privileges: USER_PRIVILEGES }),
    },
  });
  // Some clients print progress.
  const received = stdout.split("\n").filter((line) => line.startsWith('{"call":'))
    .map((line) => v.parse(Outcome, JSON.parse(line)));
  if (code === 0) return received;
  return [...received, { call: "the whole program", outcome: "refused", words: stderr }];
}
