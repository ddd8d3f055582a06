import * as assert from "node:assert/strict";
import config from "../../deno.json" with { type: "json" };
import { ROOT } from "../support/child_server.ts";
import { hasProgram, run } from "../support/tools.ts";

const WORKFLOWS = ["ci", "release"].map((name) => `.github/workflows/${name}.yml`);

const texts = new Map<string, string>();
for (const path of WORKFLOWS) texts.set(path, await Deno.readTextFile(ROOT + path));

/** The matches of a pattern in all workflows. */
function matchesOf(pattern: RegExp): RegExpExecArray[] {
  return [...texts.values()].flatMap((text) => [...text.matchAll(pattern)]);
}

Deno.test({
  name: "the workflows are valid for actionlint",
  ignore: !await hasProgram("actionlint", "-version"),
  async fn() {
    const { code, stdout } = await run("actionlint", WORKFLOWS.map((it) => ROOT + it));
    assert.deepEqual([code, stdout], [0, ""]);
  },
});

Deno.test("the workflows run the gate and tasks that are there, with the runtime of the gate", async () => {
  const gate = await Deno.readTextFile(`${ROOT}.ci/run`);
  const version = /deno@[\d.]+/.exec(gate)?.[0];
  assert.ok(version !== undefined);
  const commands = matchesOf(/npx -y (\S+) task ([\w:]+)/g);
  assert.deepEqual(commands.map(([, , task]) => task), ["compile", "package", "package:scanner"]);
  for (const [, runtime, task = ""] of commands) {
    assert.equal(runtime, version);
    assert.ok(Object.hasOwn(config.tasks, task), task);
  }
  for (const text of texts.values()) assert.match(text, /^ {6}- run: \.ci\/run$/m);
});

Deno.test("the workflows give each job the rights that it needs, and run no text of others", () => {
  for (const [path, text] of texts) {
    const [, rights = ""] = /^permissions:(.*(?:\n .+)*)/m.exec(text) ?? [];
    assert.match(rights, /^ \{\}$|^\n {2}contents: read$/, path);
  }
  // What starts a workflow may be named by anyone: its names reach a script as variables alone.
  const expressions = matchesOf(/^ +(?:- )?run: (?:\|\n(?: {10}.*\n)+|.*)/gm)
    .flatMap(([script]) => [...script.matchAll(/\$\{\{ *(.*?) *\}\}/g)].map(([, it]) => it));
  assert.deepEqual([...new Set(expressions)], ["matrix.target"]);
});

Deno.test("a release has an executable for each system, and is built whole before any of it is published", () => {
  const release = texts.get(".github/workflows/release.yml") ?? "";
  assert.deepEqual(
    [...release.matchAll(/target: (\S+),/g)].map(([, target]) => target),
    [
      "x86_64-unknown-linux-gnu",
      "aarch64-unknown-linux-gnu",
      "x86_64-apple-darwin",
      "aarch64-apple-darwin",
      "x86_64-pc-windows-msvc",
    ],
  );
  const needs = Object.fromEntries(
    [...release.matchAll(/^ {2}(\w+):\n {4}needs: (.+)$/gm)].map(([, job, it]) => [job, it]),
  );
  assert.deepEqual(needs, {
    executables: "gate",
    packages: "gate",
    image: "[executables, packages]",
    release: "image",
    npm: "release",
  });
  assert.match(release, /platforms: linux\/amd64,linux\/arm64$/m);
  assert.match(release, /sha256sum strongroom-\* >SHA256SUMS/);
  assert.match(release, /subject-checksums: dist\/SHA256SUMS/);
});
