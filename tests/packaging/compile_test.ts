import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { readBrowserScanner, readConsole } from "../../cli/serve/browser_modules.ts";
import { buildAssets } from "../../routes/console/assets.ts";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";
import { settledVerdicts } from "../support/verdicts.ts";

/** Builds to `output`. `base` is the program that the build is added to. */
function compile(output: string, base: string) {
  return run(
    Deno.execPath(),
    ["task", "--quiet", "compile", `--output=${output}`],
    { cwd: ROOT, env: { DENORT_BIN: base } },
  );
}

Deno.test("C 24 C 25 deno task compile replaces the executable, and a failure leaves the former one", async () => {
  await using directory = await TempDir.make();
  const output = `${directory.path}/a b,c`;
  await Deno.writeFile(output, Deno.readFileSync("/bin/true"), { mode: 0o755 });
  const names = async () =>
    (await Array.fromAsync(Deno.readDir(directory.path))).map(({ name }) => name);
  assert.notEqual((await compile(output, `${directory.path}/missing`)).code, 0);
  assert.deepEqual(await names(), ["a b,c"]);
  const former = await Deno.stat(output);
  const { code, stderr } = await compile(output, Deno.execPath());
  assert.equal(code, 0, stderr);
  assert.deepEqual(await names(), ["a b,c"]);
  assert.ok((await Deno.stat(output)).size > former.size);
  // What the build has added to its base.
  const { size } = await Deno.stat(Deno.execPath());
  const content = Buffer.from(await Deno.readFile(output)).subarray(size);
  assert.ok(content.includes(await Deno.readTextFile(`${ROOT}dist/console.json`)));
});

Deno.test("C 25 the program serves, scans and shows its console with the configuration of the executable", async () => {
  await using directory = await TempDir.make();
  const executable = await standIn(directory.path);
  assert.match((await run(executable, ["--version"])).stdout, /^strongroom \d/);
  await using child = await ChildServer.start({
    dataDir: `${directory.path}/data`,
    command: [executable, "serve"],
    env: { STRONGROOM_GATE: "mark" },
  });
  const user = await child.as(1);
  const model = await Deno.readFile(`${ROOT}tests/fixtures/models/pickle/hostile/eval.pkl`);
  await user.put("bad.pkl", model);
  assert.deepEqual(await settledVerdicts(user), ["bad.pkl dangerous"]);
  // The page has the hash of all files of the console.
  const page = await (await fetch(child.origin)).text();
  const files = await readConsole() ?? assert.fail("The console was not put together");
  const { page: expected } = await buildAssets({ files, scanner: await readBrowserScanner() });
  assert.equal(page, new TextDecoder().decode(expected.bytes));
});

/**
 * A program that runs as the executable does, but from the checkout: its own children are started like it, and
 * the modules are resolved by the configuration that the executable is built with.
 */
async function standIn(directory: string): Promise<string> {
  const path = `${directory}/executable`;
  const preload = `${directory}/standalone.js`;
  await Deno.writeTextFile(
    preload,
    `Object.defineProperty(Deno, "build", { value: { ...Deno.build, standalone: true } });
     Deno.execPath = () => ${JSON.stringify(path)};`,
  );
  await Deno.writeTextFile(
    path,
    `#!/bin/sh
exec '${Deno.execPath()}' run --quiet --allow-all --deny-ffi --deny-import --no-remote --cached-only \\
  '--config=${ROOT}deno.json' '--preload=${preload}' '${ROOT}main.ts' "$@"
`,
    { mode: 0o755 },
  );
  return path;
}
