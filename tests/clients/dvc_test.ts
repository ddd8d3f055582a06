import * as assert from "node:assert/strict";
import { noise } from "../support/random.ts";
import { TestServer } from "../support/server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";

Deno.test({
  name: "C 17 DVC pushes to a remote of plain HTTP, and pulls from it",
  ignore: !await hasProgram("dvc", "--version"),
  async fn() {
    await using directory = await TempDir.make();
    await using server = await TestServer.start();
    const one = await server.as(1);
    const repository = `${directory.path}/repository`;
    await Deno.mkdir(`${repository}/data`, { recursive: true });
    const dvc = async (...args: string[]) => {
      const { code, stderr } = await run("dvc", args, {
        cwd: repository,
        env: { HOME: directory.path, DVC_NO_ANALYTICS: "1" },
      });
      assert.equal(code, 0, stderr);
    };
    const files: readonly (readonly [string, Uint8Array])[] = [
      ["model.bin", noise(3_000_000, 1)],
      ["data/a.txt", noise(10, 2)],
      ["data/é.txt", noise(10, 3)],
    ];
    for (const [path, bytes] of files) await Deno.writeFile(`${repository}/${path}`, bytes);
    await dvc("init", "-q", "--no-scm");
    await dvc("remote", "add", "-d", "store", `${server.url}/files/dvc`);
    const settings = {
      method: "PUT",
      auth: "custom",
      custom_auth_header: "Authorization",
      password: `Bearer ${one.token}`,
    };
    for (const [name, value] of Object.entries(settings)) {
      await dvc("remote", "modify", "--local", "store", name, value);
    }
    await dvc("add", "model.bin", "data");
    await dvc("push");
    assert.equal((await one.tree()).filter((path) => /[0-9a-f]{30}/.test(path)).length, 4);
    for (const path of ["model.bin", "data", ".dvc/cache"]) {
      await Deno.remove(`${repository}/${path}`, { recursive: true });
    }
    await dvc("pull");
    for (const [path, bytes] of files) {
      assert.deepEqual(await Deno.readFile(`${repository}/${path}`), new Uint8Array(bytes), path);
    }
  },
});
