import * as assert from "node:assert/strict";
import { bareRepository, Clone } from "../support/git_clone.ts";
import { mirroring } from "../support/mirroring.ts";
import { modelFile } from "../support/models.ts";
import { noise } from "../support/random.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram } from "../support/tools.ts";

const ignore = !await hasProgram("git", "lfs", "version");

Deno.test({
  name: "C 28 git lfs pulls by a cold, a warm and a cut-off mirror, and is told what is refused",
  ignore,
  async fn() {
    await using directory = await TempDir.make();
    await using parts = await mirroring({ settings: { gate: "block" } });
    const { double, hub } = parts;
    const files = {
      "large.bin": noise(3_000_000),
      "small.bin": noise(2000, 2),
      "evil.pkl": await modelFile("pickle/hostile/eval.pkl"),
    };
    double.add(
      "org/model",
      Object.fromEntries(
        Object.entries(files).map(([path, content]) => [path, { content, lfs: true }]),
      ),
    );
    const remote = await bareRepository(directory.path);
    const author = await Clone.of(remote, `${directory.path}/author`, {});
    await author.commit(files);
    await author.git("push", "-q", "--no-verify", "origin", "HEAD:main");
    const clone = async (name: string) => {
      const made = await Clone.of(remote, `${directory.path}/${name}`, {
        "lfs.url": `${hub.url}/org/model.git/info/lfs`,
        "lfs.transfer.maxretries": "8",
        [`http.${new URL(hub.url).origin}/.extraheader`]: `Authorization: Bearer ${hub.token}`,
      });
      await made.git("checkout", "-q", "main");
      return made;
    };
    const pull = async (name: string) => {
      const reader = await clone(name);
      await reader.git("lfs", "pull", "--exclude", "evil.pkl");
      for (const path of ["large.bin", "small.bin"] as const) {
        assert.deepEqual(new Uint8Array(await reader.read(path)), files[path], path);
      }
    };
    const refused = async (name: string) => {
      const { code, stdout, stderr } = await (await clone(name))
        .tryGit("lfs", "pull", "--include", "evil.pkl");
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, /dangerous/);
    };
    await pull("cold");
    await refused("refused");
    assert.equal(double.taken().filter(({ host }) => host === "content").length, 3);
    await pull("warm");
    assert.deepEqual(double.taken(), []);
    double.fault = () => ({ status: 503 });
    await pull("cut-off");
    await refused("still-refused");
    assert.deepEqual(double.taken(), []);
  },
});
