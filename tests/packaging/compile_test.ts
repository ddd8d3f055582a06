import * as assert from "node:assert/strict";
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
  // The console is in it, without its types: the runtime in an executable cannot remove them.
  const content = new TextDecoder("latin1").decode(await Deno.readFile(output));
  assert.ok(content.includes("export function UploadPanel()"));
  assert.ok(!content.includes("export function UploadPanel(): ComponentChild"));
});
