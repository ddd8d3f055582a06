/** Runs blocks in one shell, in which variables and jobs last from block to block. */

import * as assert from "node:assert/strict";
import { dirname } from "node:path";
import { COMMAND } from "../support/program.ts";
import { COMMAND_ENVIRONMENT } from "../support/remote_client.ts";
import { hasProgram, run } from "../support/tools.ts";
import { type Block, isOutput } from "./blocks.ts";
import type { Reader } from "./guide.ts";
import { PARSERS } from "./parsers.ts";

interface ShellOptions {
  /** A directory for the files of the shell. */
  readonly home: string;
  readonly reader: Reader;
  readonly env: Readonly<Record<string, string>>;
  readonly runtime: "deno" | "node";
  /** What runs a task of the checkout. */
  readonly task: string;
  /** The programs that blocks lack, which are not run then. */
  readonly missing: readonly (string | undefined)[];
}

/** Programs that a reader may lack, and what succeeds if they are there. */
const OPTIONAL: Readonly<Record<string, [string, ...string[]]>> = {
  aws: ["aws", "--version"],
  dvc: ["dvc", "--version"],
  "git lfs": ["git", "lfs", "version"],
  hf: ["hf", "version"],
  // Without the registry, npm cannot install the runtime.
  "npx -y deno@2.9.6 task -q install": ["npm", "ping", "--fetch-retries=0", "--fetch-timeout=5000"],
  openssl: ["openssl", "version"],
  restic: ["restic", "version"],
  python3: ["python3", "--version"],
  rclone: ["rclone", "version"],
};

/** The first program of each line, after variables. */
const PROGRAMS = /^(?:until |\w+=\S+ )*(git lfs|npx -y deno@2\.9\.6 task -q install|\S+)/gm;

/** The program that each block lacks, if it lacks one: what runs it, or what a line runs first. */
export async function missingPrograms(blocks: readonly Block[]): Promise<(string | undefined)[]> {
  const used = blocks.map(({ language, text }) =>
    language === "python" ? ["python3"] : [...text.matchAll(PROGRAMS)].map(([, name = ""]) => name)
  );
  const missing = new Set<string>();
  for (const name of new Set(used.flat())) {
    const check = OPTIONAL[name];
    if (check !== undefined && !await hasProgram(...check)) missing.add(name);
  }
  return used.map((names) => names.find((name) => missing.has(name)));
}

/** The line that starts a server, in a terminal of its own or in the background. */
const SERVES = /^((?:\w+=\S+ )*(?:strongroom serve|deno task start)\b[^#&\n]*)&?/m;

/** What npm has fetched stays. */
const NPM_CACHE = Deno.env.get("npm_config_cache") ?? `${Deno.env.get("HOME")}/.npm`;

/** How often the shell asks whether a server serves, with 0.1 s in between. */
const MAX_POLLS = 600;

/**
 * Runs the blocks that are not outputs. Returns what each printed on stdout, `undefined` for those that
 * could not run.
 *
 * @throws {assert.AssertionError} when one exits with another code than the document says.
 */
export async function runBlocks(
  blocks: readonly Block[],
  options: ShellOptions,
): Promise<(string | undefined)[]> {
  const { home, reader, env, missing } = options;
  const lines: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (isOutput(block) || missing[index] !== undefined) continue;
    const at = `${home}/${index}`;
    lines.push(`exec >${at}.out 2>${at}.err`, await commandOf(block, at, options));
  }
  await Deno.mkdir(`${home}/bin`);
  await Deno.symlink(COMMAND, `${home}/bin/strongroom`);
  const path = [`${home}/npm/bin`, `${home}/bin`, dirname(Deno.execPath()), Deno.env.get("PATH")];
  const { code } = await run("bash", ["-uc", [PRELUDE, ...lines].join("\n")], {
    cwd: reader.directory,
    env: {
      ...COMMAND_ENVIRONMENT,
      ...env,
      HOME: home,
      PATH: path.join(":"),
      npm_config_prefix: `${home}/npm`,
      npm_config_cache: NPM_CACHE,
    },
  });
  const read = (name: string) => Deno.readTextFile(name).catch(() => undefined);
  const outputs = await Promise.all(blocks.map((_, index) => read(`${home}/${index}.out`)));
  const last = outputs.findLastIndex((it) => it !== undefined);
  const stderr = await read(`${home}/${last}.err`);
  assert.equal(code, 0, `line ${blocks[last]?.line}: ${outputs[last]}${stderr}`);
  return outputs;
}

// Some versions of rclone fail where AWS_CA_BUNDLE is set, even at servers without TLS, and some of aws if it is empty.
const PRELUDE = `set -eo pipefail
unset AWS_CA_BUNDLE
trap 'kill $(jobs -p) 2>/dev/null || true; wait' EXIT
await_server() {
  for poll in $(seq ${MAX_POLLS}); do
    if curl -s -o "$HOME/healthz" "http://127.0.0.1:$STRONGROOM_PORT/healthz"; then return; fi
    sleep 0.1
  done
  return 1
}`;

/** Saves a block at a path with an extension, and returns the line of the shell that runs it. */
async function commandOf(block: Block, at: string, options: ShellOptions): Promise<string> {
  const { reader, runtime, task } = options;
  const text = block.text.replaceAll(/\/(?:srv|tmp)\b/g, reader.directory)
    .replaceAll("127.0.0.1:8080", `127.0.0.1:${reader.port}`)
    .replaceAll("npx -y deno@2.9.6 task", task)
    .replace(SERVES, "$1& await_server ");
  const save = async (path: string) => {
    await Deno.writeTextFile(path, text);
    return path;
  };
  if (block.file !== undefined) return `install -D ${await save(`${at}.file`)} ${block.file}`;
  switch (block.language) {
    case "sh":
      await save(`${at}.sh`);
      return block.exitCode === 0
        ? `. ${at}.sh`
        : `code=0; . ${at}.sh || code=$?; test $code = ${block.exitCode}`;
    case "python":
      return `python3 ${await save(`${at}.py`)}`;
    case "ts":
      await save(`${at}.ts`);
      if (runtime === "deno") return `deno run --quiet --check --no-config --allow-all ${at}.ts`;
      // Older versions of Node do not remove types.
      return `deno bundle --quiet --platform=deno --output=${at}.mjs ${at}.ts\nnode ${at}.mjs`;
    default:
      assert.ok(block.language in PARSERS, `line ${block.line}: nothing runs ${block.language}`);
      return ":";
  }
}
