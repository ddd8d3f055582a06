import * as assert from "node:assert/strict";
import * as v from "valibot";
import { ROOT } from "../support/child_server.ts";
import { TempDir } from "../support/temp_dir.ts";
import { hasProgram, run } from "../support/tools.ts";
import { HAS_YAML, readYamlFile } from "../support/yaml.ts";
import { blocksOf } from "./blocks.ts";

const guide = await Deno.readTextFile(`${ROOT}docs/guides/fleet.md`);
const blocks = blocksOf(guide);
const commands = blocks.filter(({ language }) => language === "sh").map(({ text }) => text);

Deno.test("docs/guides/fleet.md names services, variables and files that are there", async () => {
  const compose = await Deno.readTextFile(`${ROOT}packaging/compose/compose.yaml`);
  const services = compose.matchAll(/^ {2}([\w-]+):$/gm).map(([, name = ""]) => name).toArray();
  const used = commands.join("").match(/\bstrongroom-\d\b/g) ?? [];
  assert.ok(used.length > 0);
  for (const name of new Set(used)) {
    // The reader adds the third.
    assert.ok(services.includes(name) || name === "strongroom-3", name);
  }
  const settings = blocks.find(({ file }) => file === ".env")?.text.match(/^\w+(?==)/gm) ?? [];
  const known = compose.matchAll(/\$\{(\w+):-/g).map(([, name = ""]) => name).toArray();
  assert.deepEqual(new Set(settings), new Set(known));
  for (const [path] of guide.matchAll(/\b(?:packaging|tests)\/[\w./-]*\w/g)) {
    if (path.endsWith("/secrets")) continue;
    await Deno.stat(ROOT + path);
  }
});

Deno.test({
  name: "docs/guides/fleet.md has commands that a shell can read",
  ignore: !await hasProgram("bash", "--version"),
  async fn() {
    for (const text of commands) {
      const { code, stderr } = await run("bash", ["-n", "-c", text]);
      assert.equal(code, 0, stderr);
    }
  },
});

const Values = v.looseObject({
  secret: v.object({ name: v.string(), keys: v.record(v.string(), v.string()) }),
});

Deno.test({
  name: "docs/guides/fleet.md makes the secret and sets the values that the chart expects",
  ignore: !HAS_YAML || !await hasProgram("helm", "version"),
  async fn() {
    await using directory = await TempDir.make();
    const chart = `${ROOT}packaging/helm/strongroom`;
    const { secret } = v.parse(Values, (await readYamlFile(`${chart}/values.yaml`))[0]);
    const text = commands.find((it) => it.includes("helm install")) ?? "";
    const made = text.matchAll(/--from-literal=([\w-]+)=/g).map(([, name]) => name).toArray();
    assert.deepEqual(made.sort(), Object.values(secret.keys).filter((it) => it !== "").sort());
    assert.ok(text.includes(`kubectl create secret generic ${secret.name} `));
    const options = text.matchAll(/--set ('[^']+'|\S+)/g)
      .flatMap(([, value = ""]) => ["--set", value.replaceAll("'", "")]).toArray();
    const { code, stderr } = await run("helm", [
      ...["template", "strongroom", chart, "--kube-version=v1.27.0", ...options],
    ], { env: { HOME: directory.path } });
    assert.equal(code, 0, stderr);
    // The names that the guide gives to what the chart makes.
    for (const name of text.match(/deploy\/[\w-]+/g) ?? []) assert.equal(name, "deploy/strongroom");
  },
});
