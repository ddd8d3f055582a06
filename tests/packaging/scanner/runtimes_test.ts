import * as assert from "node:assert/strict";
import { ROOT } from "../../support/child_server.ts";
import { TempDir } from "../../support/temp_dir.ts";
import { hasProgram, run } from "../../support/tools.ts";
import {
  FIXTURE_PATHS,
  MODELS,
  putPackage,
  serverReport,
  withoutTimes,
} from "./fixture_reports.ts";

const PROGRAMS = `${ROOT}tests/packaging/scanner`;
const PICKLE = `${MODELS}/pickle/hostile/eval.pkl`;
/** No thread reads so many bytes while the test runs. */
const ENDLESS_BYTES = 2 ** 40;

const RUNTIMES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  "Node.js": [await nodeProgram()],
  Deno: [Deno.execPath(), "run", "--quiet", "--allow-all"],
  Bun: ["bun"],
};

/** The first Node.js on the PATH of the version that the package needs at least. */
async function nodeProgram(): Promise<string> {
  const check = "process.exit(parseInt(process.versions.node) < 22 ? 1 : 0)";
  for (const directory of (Deno.env.get("PATH") ?? "").split(":")) {
    if (await hasProgram(`${directory}/node`, "--eval", check)) return `${directory}/node`;
  }
  return "node 22 or later, which is not on the PATH";
}

for (const [runtime, [program, ...args]] of Object.entries(RUNTIMES)) {
  Deno.test({
    name: `SR the scanner's package works in ${runtime}`,
    ignore: !await hasProgram(program, "--version"),
    async fn(t) {
      await using directory = await TempDir.make();
      const cwd = directory.path;
      await putPackage(cwd);
      const printed = async (name: string, ...parameters: string[]) => {
        await Deno.copyFile(`${PROGRAMS}/${name}`, `${cwd}/${name}`);
        const { code, stdout, stderr } = await run(program, [
          ...args,
          name,
          "strongroom-scanner",
          ...parameters,
        ], {
          cwd,
        });
        assert.equal(code, 0, stderr);
        return stdout.trimEnd().split("\n");
      };
      await t.step(
        "its reports of all fixtures are those of the server, but for times",
        async () => {
          await Deno.writeTextFile(`${cwd}/list`, FIXTURE_PATHS.join("\n"));
          const lines = await printed("scan_fixtures.mjs", MODELS, "list");
          assert.equal(lines.length, FIXTURE_PATHS.length);
          for (const [index, path] of FIXTURE_PATHS.entries()) {
            const report = withoutTimes(JSON.parse(lines[index] ?? ""));
            assert.deepEqual(report, await serverReport(path), path);
          }
        },
      );
      await t.step("the example of its README works", async () => {
        const readme = await Deno.readTextFile(`${ROOT}packaging/scanner/README.md`);
        const [, block = ""] = readme.split(`## ${runtime}\n\n\`\`\`js ignore\n`);
        const [example = ""] = block.split("```");
        await Deno.writeTextFile(`${cwd}/example.mjs`, example);
        await Deno.copyFile(PICKLE, `${cwd}/model.pkl`);
        const { code, stdout, stderr } = await run(program, [...args, "example.mjs"], { cwd });
        assert.deepEqual([code, stdout], [0, "critical Imports and calls builtins.eval\n"], stderr);
      });
      await t.step("it takes paths, blobs and async bytes, limits and a signal", async () => {
        await Deno.writeFile(`${cwd}/endless`, new Uint8Array());
        await Deno.truncate(`${cwd}/endless`, ENDLESS_BYTES);
        const [line = ""] = await printed("uses.mjs", PICKLE, "endless");
        const { missing, ...others } = JSON.parse(line);
        assert.match(missing, /^Error: .*ENOENT/);
        const found = ["S104"];
        assert.deepEqual(others, {
          path: found,
          blob: found,
          bytes: found,
          beside: [found, found, found],
          limited: true,
          aborted: "Error: enough",
          abortedBefore: "Error: no",
          stalled: "Error: enough",
          after: found,
        });
      });
    },
  });
}
