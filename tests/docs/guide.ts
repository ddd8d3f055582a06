/** Runs the blocks of a document as a reader would: one after the other, in one shell. */

import * as assert from "node:assert/strict";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { engineSettings } from "../support/engines.ts";
import { freePort } from "../support/ports.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { assertPrints, blocksOf, isOutput } from "./blocks.ts";
import { PARSERS } from "./parsers.ts";
import { missingPrograms, runBlocks } from "./shell.ts";

export interface GuideOptions {
  /** Says how this run differs from others of the same document. */
  readonly title?: string;
  /** Makes what the reader has: files in the working directory, and on the server if one runs. */
  readonly prepare?: (reader: Reader, server: ChildServer | undefined) => Promise<void>;
  /** Whether a server runs from the start. Otherwise the guide starts it. @default true */
  readonly serves?: boolean;
  /** Whether the guide is about records and content in the data directory alone. @default false */
  readonly isEmbedded?: boolean;
  /** Settings of the server and of all commands. */
  readonly env?: Readonly<Record<string, string>>;
  /** What runs TypeScript. @default "deno" */
  readonly runtime?: "deno" | "node";
  /** Whether outputs must be those that the document shows. @default true */
  readonly compares?: boolean;
  /** Whether the reader clones the repository, whose address {@link REPOSITORY} is. @default false */
  readonly clones?: boolean;
  /** What runs instead of the text of a block, where it would take too long or lacks something. */
  readonly edit?: (text: string) => string;
  /** Looks at what the blocks have left. */
  readonly verify?: (reader: Reader) => Promise<void>;
}

/** Who reads a guide. */
export interface Reader {
  /** The working directory. It also stands for `/srv` and `/tmp` in the blocks. */
  readonly directory: string;
  readonly dataDir: string;
  readonly port: number;
}

const ready = await hasProgram("curl", "--version") && await hasProgram("bash", "--version");

/** Where readers of the README get the source: a placeholder. */
const REPOSITORY = "https://git.example.com/strongroom.git";

const hasGit = await hasProgram("git", "--version");
const hasNode = await hasProgram("node", "--version");

/** Defines the test of a document: each of its blocks runs, and prints what is shown. */
export function guideTest(path: string, options: GuideOptions = {}): void {
  Deno.test({
    name: `${path}: each block runs, and prints what is shown${options.title ?? ""}`,
    ignore: !ready || (options.runtime === "node" && !hasNode) || (options.clones && !hasGit),
    fn: (t) => testGuide(t, path, options),
  });
}

async function testGuide(t: Deno.TestContext, path: string, options: GuideOptions): Promise<void> {
  const { serves = true, isEmbedded = false, clones = false, compares = true } = options;
  const { runtime = "deno", edit = (text) => text } = options;
  const blocks = blocksOf(await Deno.readTextFile(ROOT + path));
  await using home = await TempDir.make();
  const directory = `${home.path}/reader`;
  await Deno.mkdir(directory);
  const reader = { directory, dataDir: `${directory}/data`, port: freePort() };
  const env = {
    ...(!isEmbedded && await engineSettings(reader.dataDir)),
    ...options.env,
    STRONGROOM_DATA_DIR: reader.dataDir,
    STRONGROOM_PORT: String(reader.port),
  };
  await using server = serves ? await ChildServer.start({ ...reader, env }) : undefined;
  await options.prepare?.(reader, server);
  const missing = await missingPrograms(blocks);
  const repository = `${home.path}/strongroom.git`;
  if (clones) await commitSource(repository);
  const texts = blocks.map((block) => {
    if (isOutput(block)) return block;
    return { ...block, text: edit(block.text).replace(REPOSITORY, "-q ../strongroom.git") };
  });
  const outputs = await runBlocks(texts, {
    ...{ home: home.path, reader, env, runtime, missing },
    task: clones ? "deno task" : `deno task --config='${ROOT}deno.json'`,
  });
  let output: string | undefined;
  for (const [index, block] of blocks.entries()) {
    if (!isOutput(block)) output = outputs[index];
    const why = missing[index] === undefined ? "" : ` (${missing[index]} is missing)`;
    await t.step({
      name: `line ${block.line}: ${block.text.split("\n", 1)[0]}${why}`,
      ignore: output === undefined || (isOutput(block) && !compares),
      fn() {
        if (isOutput(block)) assertPrints(output ?? "", block);
        else PARSERS[block.language]?.(block.text);
      },
    });
  }
  await options.verify?.(reader);
}

/** Makes a repository with one commit: the source as it is here, with what is not committed yet. */
async function commitSource(repository: string): Promise<void> {
  const author = ["-c", "user.name=reader", "-c", "user.email=reader@example.com"];
  for (
    const args of [
      ["init", "-q"],
      ["add", "--all"],
      [...author, "commit", "-q", "--no-verify", "--message=Source"],
    ]
  ) {
    const { code, stderr } = await run("git", args, {
      cwd: ROOT,
      env: { GIT_DIR: repository, GIT_WORK_TREE: ROOT, GIT_CONFIG_GLOBAL: "/dev/null" },
    });
    assert.equal(code, 0, stderr);
  }
}

/** The files of `models` in guides: a harmless and a dangerous one. */
export const MODELS = {
  "models/classifier.pkl": "tests/fixtures/models/pickle/hostile/eval.pkl",
  "models/weights.safetensors": "tests/fixtures/models/safetensors/perceptron.safetensors",
};

/** Copies files of the checkout into the working directory of a reader: sources by path there. */
export async function copyFiles(
  { directory }: Reader,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, source] of Object.entries(files)) {
    assert.ok(!path.startsWith("/"));
    await Deno.mkdir(`${directory}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(ROOT + source, `${directory}/${path}`);
  }
}
