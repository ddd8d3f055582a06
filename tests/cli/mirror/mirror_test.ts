import * as assert from "node:assert/strict";
import { parsePolicy } from "../../../core/policy/parse.ts";
import { mirroring } from "../../support/mirroring.ts";
import { RemoteClient } from "../../support/remote_client.ts";
import { USER_PRIVILEGES } from "../../support/server.ts";
import { TempDir } from "../../support/temp_dir.ts";

Deno.test("C 28 strongroom mirror fetches ahead, pins, lists and gives up", async (t) => {
  const policy = parsePolicy({ rule: [{ name: "no-exe", deny: "No programs", file: "*.exe" }] });
  if ("problem" in policy) throw new Error(policy.problem);
  await using parts = await mirroring({ policy });
  await using home = await TempDir.make();
  const { double, server } = parts;
  const commit = double.add("org/model", { "a.txt": "aa", "w.bin": "www", "setup.exe": "x" });
  double.add("org/text", { f: "x" }, { kind: "datasets" });
  const privileges = [...USER_PRIVILEGES, "mirror.use"];
  const user = await RemoteClient.of(server, home.path, { privileges });
  const admin = await RemoteClient.of(server, home.path, { privileges: ["resources.admin"] });
  const cut = commit.slice(0, 12);
  const list = async () =>
    (await user.run(["mirror", "ls"])).stdout.split("\n").map((line) => line.slice(18));

  await t.step("add", async () => {
    const chosen = await user.run(["mirror", "add", "org/model", "--include", "*.txt"]);
    assert.deepEqual([chosen.code, chosen.stderr], [0, ""]);
    const { code, stderr } = await user.run(["mirror", "add", `org/model@${commit}`]);
    assert.equal(code, 1);
    assert.equal(
      stderr,
      'strongroom: Cannot download "setup.exe": the rule no-exe refuses it: No programs (ErrResourcesRefused)\n',
    );
    assert.deepEqual(await list(), [`org/model@${cut}  2/3 files, 5 bytes`, ""]);
  });
  await t.step("pin and unpin", async () => {
    const { code, stdout } = await admin.run(["mirror", "pin", "org/model"]);
    assert.deepEqual([code, stdout.slice(18)], [
      0,
      `org/model@${cut}  2/3 files, 5 bytes, pinned\n`,
    ]);
    const refused = await user.run(["mirror", "unpin", "org/model"]);
    assert.equal(refused.code, 1);
    assert.equal((await admin.run(["mirror", "unpin", `org/model@${cut}`])).code, 0);
    assert.deepEqual(await list(), [`org/model@${cut}  2/3 files, 5 bytes`, ""]);
  });
  await t.step("policy check says what would happen, and fetches nothing", async () => {
    const { code, stdout } = await user.run(["policy", "check", "org/model"]);
    assert.deepEqual([code, stdout.split("\n")], [1, [
      "a.txt: allowed by default: No rule refuses it",
      "setup.exe: refused by no-exe: No programs",
      "w.bin: allowed by default: No rule refuses it",
      "",
    ]]);
    assert.equal((await user.run(["policy", "check", "datasets/org/text"])).code, 0);
    assert.equal((await list()).length, 2);
    const missing = await user.run(["policy", "check", "org/none"]);
    assert.deepEqual([missing.code, missing.stdout], [2, ""]);
  });
  await t.step("export and import", async () => {
    const child = admin.spawn(["mirror", "export", `org/model@${commit}`]);
    await child.stdin.close();
    const archive = (await child.output()).stdout;
    await using other = await mirroring();
    const inside = await RemoteClient.of(other.server, home.path, {
      privileges: ["resources.admin"],
    });
    const { code, stdout, stderr } = await inside.run(["mirror", "import"], { stdin: archive });
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(stdout.slice(18), `org/model@${cut}  2/3 files, 5 bytes\n`);
    const broken = await inside.run(["mirror", "import"], { stdin: archive.slice(0, -1) });
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /Cannot import the archive: it is cut off/);
  });
  await t.step("rm", async () => {
    assert.equal((await user.run(["mirror", "add", "datasets/org/text"])).code, 0);
    assert.equal((await admin.run(["mirror", "rm", "org/model"])).code, 0);
    assert.match((await list())[0] ?? "", /^datasets\/org\/text@[0-9a-f]{12} {2}1\/1 files/);
    const { code, stderr } = await admin.run(["mirror", "rm", "org/model"]);
    assert.deepEqual([code, stderr], [2, 'strongroom: The mirror has nothing of "org/model"\n']);
  });
});
