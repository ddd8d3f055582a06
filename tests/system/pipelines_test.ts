import * as assert from "node:assert/strict";
import { dirname } from "node:path";
import { readYaml } from "../../core/scanner/readers/yaml/read_yaml.ts";
import { asLatin1, valuesOf } from "../core/scanner/readers/document_events.ts";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

const HOSTILE = `${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`;
const CLEAN = `${ROOT}tests/fixtures/models/numpy/int8.npy`;
/** The runtime of the tests, for scripts that look for it. */
const PATH = `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`;

/** The values of a YAML file of this checkout, by their paths. */
async function yamlOf(path: string): Promise<ReadonlyMap<string, string>> {
  const text = await Deno.readTextFile(ROOT + path);
  return new Map(valuesOf(readYaml(asLatin1(text))).map(([key, value]) => [key, String(value)]));
}

/** The one step of the action, run as a runner does: expressions are replaced, and a shell gets the script. */
async function runAction(inputs: Readonly<Record<string, string>>, workspace: string) {
  const action = await yamlOf("action.yml");
  const given = (name: string) => inputs[name] ?? action.get(`inputs.${name}.default`);
  const env: Record<string, string> = { PATH };
  for (const [key, value] of action) {
    const name = /^runs\.steps\.env\.(\w+)$/.exec(key)?.[1];
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1];
    if (name === undefined) continue;
    env[name] = given(input ?? "") ?? assert.fail(`${key} has no input: ${value}`);
  }
  await using directory = await TempDir.make();
  const script = `${directory.path}/step.sh`;
  await Deno.writeTextFile(script, action.get("runs.steps.run") ?? "");
  const result = await run("bash", ["--noprofile", "--norc", "-eo", "pipefail", script], {
    cwd: workspace,
    env: {
      ...env,
      GITHUB_ACTIONS: "true",
      GITHUB_ACTION_PATH: ROOT.replace(/\/$/, ""),
      GITHUB_OUTPUT: `${directory.path}/output`,
      GITHUB_WORKSPACE: workspace,
    },
  });
  return { ...result, output: await Deno.readTextFile(`${directory.path}/output`) };
}

/**
 * What the scan has printed. The runner takes none of it for a command: they are stopped until a token comes, which
 * is another one each time.
 */
function scanned(stdout: string): string {
  const parts = /^::stop-commands::([\da-f]{32})\n([\s\S]*)\n::\1::\n$/.exec(stdout);
  const [, token = "", text = ""] = parts ?? assert.fail(stdout);
  assert.ok(!tokens.has(token));
  tokens.add(token);
  return text;
}

const tokens = new Set<string>();

Deno.test({
  name: "C 25 action.yml scans as a runner runs it",
  ignore: !await hasProgram("bash", "--version"),
  async fn(t) {
    await using directory = await TempDir.make();
    const workspace = directory.path;
    await Deno.mkdir(`${workspace}/models with spaces`);
    await Deno.copyFile(HOSTILE, `${workspace}/models with spaces/bad.pkl`);
    await Deno.copyFile(CLEAN, `${workspace}/clean.npy`);

    await t.step("C 25 the findings are in the log, and the step fails", async () => {
      const { code, stdout, stderr, output } = await runAction({}, workspace);
      assert.deepEqual([code, stderr, output], [1, "", "exit-code=1\n"]);
      assert.match(scanned(stdout), /^CRITICAL S104 [\s\S]*models with spaces\/bad\.pkl/);
    });
    await t.step("C 25 several paths and patterns, and a report for code hosting", async () => {
      const inputs = {
        paths: "clean.npy\nmodels with spaces\n",
        exclude: "*.xyz\nbad.*",
        format: "sarif",
        output: "out.sarif",
        "fail-on-unknown": "true",
      };
      const { code, stdout, output } = await runAction(inputs, workspace);
      assert.deepEqual([code, output], [0, "exit-code=0\n"]);
      assert.match(scanned(stdout), /^strongroom: 1 file .*; report in out\.sarif\s*$/);
      const log = JSON.parse(await Deno.readTextFile(`${workspace}/out.sarif`));
      assert.equal(log.runs[0].artifacts.length, 1);
    });
    await t.step("C 25 an input is never run or taken for an option", async () => {
      const inputs = {
        paths: "--help\n$(touch run)\n`touch run`;touch run",
        exclude: '"; touch run',
      };
      const { code, stdout, output } = await runAction(inputs, workspace);
      assert.deepEqual([code, output], [2, "exit-code=2\n"]);
      assert.match(scanned(stdout), /--help/);
      const names = (await Array.fromAsync(Deno.readDir(workspace))).map(({ name }) => name);
      assert.ok(!names.includes("run"));
    });
  },
});

Deno.test({
  name: "C 25 .pre-commit-hooks.yaml scans what is committed, as pre-commit runs it",
  ignore: !await hasProgram("pre-commit", "--version") ||
    !await hasProgram("git", "-C", ROOT, "rev-parse", "HEAD"),
  async fn(t) {
    await using directory = await TempDir.make();
    const cwd = `${directory.path}/repository`;
    await Deno.mkdir(cwd);
    const env = {
      PATH,
      PRE_COMMIT_HOME: `${directory.path}/home`,
      GIT_CONFIG_GLOBAL: "/dev/null",
      // The checkout may belong to another user.
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
    };
    const git = async (...args: string[]) => {
      const { code, stderr } = await run("git", args, { cwd, env });
      assert.equal(code, 0, stderr);
    };
    const hook = () => run("pre-commit", ["try-repo", ROOT, "strongroom-scan"], { cwd, env });
    await t.step("C 25 the manifest is valid", async () => {
      const manifest = `${ROOT}.pre-commit-hooks.yaml`;
      const { code, stdout } = await run("pre-commit", ["validate-manifest", manifest], { env });
      assert.equal(code, 0, stdout);
    });
    await git("init", "-q");
    await t.step("C 25 a clean file passes", async () => {
      await Deno.copyFile(CLEAN, `${cwd}/clean.npy`);
      await git("add", ".");
      const { code, stdout, stderr } = await hook();
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, /strongroom scan\.+Passed/);
    });
    await t.step("C 25 a dangerous file stops the commit", async () => {
      await Deno.copyFile(HOSTILE, `${cwd}/bad file.pkl`);
      await git("add", ".");
      const { code, stdout } = await hook();
      assert.equal(code, 1);
      assert.match(stdout, /Failed[\s\S]*CRITICAL S104 [\s\S]*bad file\.pkl/);
    });
    await t.step("C 25 strongroom.toml waives it in the commit that adds both", async () => {
      const waiver = "[[waiver]]\nrule = 'S104'\npath = '*.pkl'\nreason = 'reviewed'\n";
      await Deno.writeTextFile(`${cwd}/strongroom.toml`, waiver);
      await git("add", ".");
      const { code, stdout } = await hook();
      assert.equal(code, 0, stdout);
    });
  },
});
