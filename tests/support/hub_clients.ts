/** Real clients of the hub protocol (C 20): each version of `huggingface_hub` that is installed. */

import * as assert from "node:assert/strict";
import { dirname } from "node:path";
import { ROOT } from "./child_server.ts";
import { mintToken, TestServer, type TestServerOptions, USER_PRIVILEGES } from "./server.ts";
import { TempDir } from "./temp_dir.ts";
import { hasProgram, type ProgramOutput, run, runIfThere } from "./tools.ts";

/** An installed version. */
export interface HubVersion {
  readonly version: string;
  /** The Python that has it. The command `hf` is beside it. */
  readonly python: string;
}

/** Those of every Python on the PATH, the newest first. */
const INSTALLED = await installedIn((Deno.env.get("PATH") ?? "").split(":"));

/** The versions on the PATH, the newest first. */
export const HUB_VERSIONS: readonly HubVersion[] = withoutRepeats(INSTALLED);

/** The versions that directories of programs have, the newest first. */
export async function versionsIn(directories: readonly string[]): Promise<HubVersion[]> {
  return withoutRepeats(await installedIn(directories));
}

function withoutRepeats(versions: readonly HubVersion[]): HubVersion[] {
  return [...Map.groupBy(versions, ({ version }) => version).values()].flatMap(([first]) =>
    first ?? []
  );
}

async function installedIn(directories: readonly string[]): Promise<HubVersion[]> {
  const found: HubVersion[] = [];
  for (const directory of new Set(directories)) {
    const python = `${directory}/python3`;
    const version = await versionOf(python, "huggingface_hub");
    if (version !== undefined) found.push({ version, python });
  }
  const numeric = new Intl.Collator("en", { numeric: true });
  return found.sort((a, b) => numeric.compare(b.version, a.version));
}

/** The newest version whose Python has some modules. */
export async function versionWith(...modules: readonly string[]): Promise<HubVersion | undefined> {
  for (const version of INSTALLED) {
    if (await hasProgram(version.python, "-c", `import ${modules.join(", ")}`)) return version;
  }
  return undefined;
}

/** The version of a package that a Python has. */
export async function versionOf(python: string, name: string): Promise<string | undefined> {
  const program = `from importlib.metadata import version; print(version('${name}'))`;
  const output = await runIfThere(python, ["-c", program]);
  return output?.code === 0 ? output.stdout.trim() : undefined;
}

export interface HubOptions {
  /** Where the client sends its requests. */
  readonly endpoint: string;
  readonly token: string;
  /** The directory of the client, with its cache. */
  readonly home: string;
  /** Variables besides, or instead of, those of {@link HUB_ENVIRONMENT}. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Somebody with a version of the client, a credential and a directory. */
export class HfClient {
  constructor(readonly version: HubVersion, readonly options: HubOptions) {}

  /** The same client, but for some options. */
  with(options: Partial<HubOptions>): HfClient {
    return new HfClient(this.version, { ...this.options, ...options });
  }

  /** Runs `hf`. */
  hf(...args: string[]): Promise<ProgramOutput> {
    return this.#run(`${dirname(this.version.python)}/hf`, args);
  }

  /** Runs `hf`, which must succeed, and returns what it printed. */
  async succeed(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.hf(...args);
    assert.equal(code, 0, `hf ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout;
  }

  /** Runs `hf`, which must fail, and returns what it printed. */
  async fail(...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await this.hf(...args);
    assert.notEqual(code, 0, `hf ${args.join(" ")}: ${stdout}${stderr}`);
    return stdout + stderr;
  }

  /** Runs a program of `tests/clients/hub`, which must succeed, and returns the JSON that it prints. */
  async program(name: string, ...args: string[]): Promise<unknown> {
    const path = `${ROOT}tests/clients/hub/${name}.py`;
    const { code, stdout, stderr } = await this.#run(this.version.python, [path, ...args]);
    assert.equal(code, 0, `${name}: ${stdout}${stderr}`);
    return JSON.parse(stdout);
  }

  /** Runs a program with nothing of the environment of the tests but the PATH. */
  #run(program: string, args: readonly string[]): Promise<ProgramOutput> {
    const { endpoint, token, home, env } = this.options;
    return run(program, args, {
      cwd: home,
      clearEnv: true,
      env: { ...HUB_ENVIRONMENT, HOME: home, HF_ENDPOINT: endpoint, HF_TOKEN: token, ...env },
    });
  }
}

/** What makes the clients talk to the server only, and print no progress. */
export const HUB_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: Deno.env.get("PATH") ?? "",
  LANG: "C.UTF-8",
  NO_COLOR: "1",
  HF_HUB_DISABLE_XET: "1",
  HF_HUB_DISABLE_TELEMETRY: "1",
  HF_HUB_DISABLE_UPDATE_CHECK: "1",
  HF_HUB_DISABLE_PROGRESS_BARS: "1",
};

/** What a test of {@link hubTest} has. */
export interface HubTest {
  readonly server: TestServer;
  readonly directory: string;
  /** User 1, with its own tree. */
  readonly client: HfClient;
  /** Another client with a directory of its own. */
  clientOf(options: Partial<HubOptions> & { userId?: number }): Promise<HfClient>;
  /** A step of the test. */
  step(name: string, fn: () => void | Promise<void>): Promise<void>;
}

/**
 * The versions that a test runs with: all with `TEST_HUB_VERSIONS=all`, otherwise the newest. Former ones make the same
 * requests but for few, and `tests/clients/matrix` has each of their calls.
 */
export const TESTED_VERSIONS = Deno.env.get("TEST_HUB_VERSIONS") === "all"
  ? HUB_VERSIONS
  : HUB_VERSIONS.slice(0, 1);

export interface HubTestOptions extends TestServerOptions {
  /** For what differs between versions. @default {@link TESTED_VERSIONS} */
  readonly versions?: "all";
}

/** Defines a test for versions of the client, or a skipped one where none is installed. */
export function hubTest(
  name: string,
  fn: (test: HubTest) => Promise<void>,
  { versions, ...options }: HubTestOptions = {},
): void {
  if (HUB_VERSIONS.length === 0) {
    Deno.test({ name: `${name} (huggingface_hub is not installed)`, ignore: true, fn() {} });
  }
  for (const version of versions === "all" ? HUB_VERSIONS : TESTED_VERSIONS) {
    Deno.test(`${name} (huggingface_hub ${version.version})`, async (t) => {
      await using directory = await TempDir.make();
      await using server = await TestServer.start(options);
      const clientOf = async (
        { userId = 1, ...options }: Partial<HubOptions> & { userId?: number },
      ) => {
        const home = await Deno.makeTempDir({ dir: directory.path });
        const token = await mintToken({ userId, privileges: USER_PRIVILEGES });
        const endpoint = `${server.origin}/hub`;
        return new HfClient(version, { endpoint, token, home, ...options });
      };
      await fn({
        server,
        directory: directory.path,
        client: await clientOf({}),
        clientOf,
        step: async (name, fn) => void await t.step(name, fn),
      });
    });
  }
}
