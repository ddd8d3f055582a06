import * as assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { stripTypeScriptTypes } from "node:module";
import { MODULES, ON_DEMAND } from "../../routes/console/modules.ts";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { run } from "../support/tools.ts";

/** Builds to `output`. `base` is the program that the build is added to. */
function compile(output: string, base: string) {
  return run(
    Deno.execPath(),
    ["task", "--quiet", "compile", `--output=${output}`, "--no-check"],
    { cwd: ROOT, env: { DENORT_BIN: base } },
  );
}

Deno.test("deno task compile replaces the executable, and a failure leaves the former one", async () => {
  await using directory = await TempDir.make();
  const output = `${directory.path}/a b,c`;
  await Deno.writeFile(output, Deno.readFileSync("/bin/true"), { mode: 0o755 });
  const names = async () =>
    (await Array.fromAsync(Deno.readDir(directory.path))).map(({ name }) => name);
  assert.notEqual((await compile(output, `${directory.path}/missing`)).code, 0);
  assert.deepEqual(await names(), ["a b,c"]);
  const former = await Deno.stat(output);
  const { code, stderr } = await compile(output, "/bin/true");
  assert.equal(code, 0, stderr);
  assert.deepEqual(await names(), ["a b,c"]);
  assert.ok((await Deno.stat(output)).size > former.size);
});

Deno.test("C 24 the executable has every module of the console, without its types", async () => {
  await using directory = await TempDir.make();
  const output = `${directory.path}/strongroom`;
  const { code, stderr } = await compile(output, "/bin/true");
  assert.equal(code, 0, stderr);
  const content = Buffer.from(await Deno.readFile(output));
  for (const [name, load] of Object.entries({ ...MODULES, ...ON_DEMAND })) {
    const { default: text } = await load();
    // The runtime in an executable cannot remove types.
    const script = name.endsWith(".ts") ? stripTypeScriptTypes(text) : text;
    assert.ok(content.includes(script), name);
  }
});
