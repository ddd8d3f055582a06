import * as assert from "node:assert/strict";
import { ChildServer, ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

const programs = await hasProgram("curl", "--version") && await hasProgram("bash", "--version") &&
  await hasProgram("unzip", "-v");

Deno.test({
  name: "the README's lines work as pasted",
  ignore: !programs,
  async fn() {
    const readme = await Deno.readTextFile(`${ROOT}README.md`);
    const lines = /```sh\n(TOKEN=[\s\S]*?)```/.exec(readme)?.[1] ?? "";
    assert.equal(lines.trim().split("\n").length, 6);
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
    assert.deepEqual(replies.map(({ data }) => data.total ?? data.status), [2, 4, "completed"]);
    const license = await Deno.readTextFile(`${ROOT}LICENSE`);
    assert.equal(await Deno.readTextFile(`${directory.path}/LICENSE`), license);
    const zipped = await run("unzip", ["-p", `${directory.path}/texts.zip`, "first/LICENSE"]);
    assert.equal(zipped.stdout, license);
  },
});
