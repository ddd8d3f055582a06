import * as assert from "node:assert/strict";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

const programs = await hasProgram("curl", "--version") && await hasProgram("bash", "--version") &&
  await hasProgram("unzip", "-v");

/** The shell blocks of a document. */
async function shellBlocks(path: string): Promise<string[]> {
  const text = await Deno.readTextFile(ROOT + path);
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
}

Deno.test("the README and CONTRIBUTING name only tasks that exist", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const blocks = [...await shellBlocks("README.md"), ...await shellBlocks("CONTRIBUTING.md")];
  const named = blocks.join("").matchAll(/\btask (?:-q )?([\w:]+)/g);
  const names = new Set([...named].map(([, name = ""]) => name));
  assert.ok(names.size >= 9, [...names].join());
  assert.deepEqual([...names].filter((name) => !Object.hasOwn(tasks, name)), []);
});

Deno.test({
  name: "the scan in the README finds the hostile fixtures",
  ignore: !await hasProgram("bash", "--version"),
  async fn() {
    const [block] = (await shellBlocks("README.md")).filter((it) => it.includes("task -q scan"));
    const script = block?.replaceAll("npx -y deno@2.9.6", Deno.execPath()) ?? "";
    const { code, stdout } = await run("bash", ["-euc", script], { cwd: ROOT });
    assert.equal(code, 1);
    assert.match(stdout, /critical/i);
  },
});

Deno.test({
  name: "the commands in the README work as pasted",
  ignore: !programs,
  async fn() {
    const blocks = await shellBlocks("README.md");
    const lines = blocks.find((block) => block.startsWith("TOKEN=")) ?? "";
    assert.equal(lines.trim().split("\n").length, 7);
    await using directory = await TempDir.make();
    const dataDir = `${directory.path}/data`;
    await using child = await ChildServer.start({ dataDir });
    const script = lines.replaceAll("npx -y deno@2.9.6", Deno.execPath())
      .replaceAll("http://127.0.0.1:8080", child.origin).replaceAll("/tmp", directory.path)
      .replaceAll("curl ", "curl --fail --no-progress-meter ");
    const { code, stdout, stderr } = await run("bash", ["-euc", script], {
      cwd: ROOT,
      env: { STRONGROOM_DATA_DIR: dataDir, STRONGROOM_PORT: new URL(child.origin).port },
    });
    assert.equal(code, 0, stderr);
    const replies = stdout.trim().split("\n").map((line) => JSON.parse(line));
    assert.deepEqual(replies.map(({ data }) => data.total ?? data.status ?? data.path), [
      2,
      "texts/second/LICENSE",
      6,
      "completed",
    ]);
    const license = await Deno.readTextFile(`${ROOT}LICENSE`);
    assert.equal(await Deno.readTextFile(`${directory.path}/LICENSE`), license);
    const zipped = await run("unzip", ["-p", `${directory.path}/texts.zip`, "first/LICENSE"]);
    assert.equal(zipped.stdout, license);
  },
});
