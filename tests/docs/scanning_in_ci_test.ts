import * as assert from "node:assert/strict";
import { readYaml } from "../../core/scanner/readers/yaml/read_yaml.ts";
import { asLatin1, valuesOf } from "../core/scanner/readers/document_events.ts";
import { ROOT } from "../support/child_server.ts";
import { hasProgram, run } from "../support/tools.ts";
import { copyFiles, guideTest, MODELS } from "./guide.ts";

const hasPreCommit = await hasProgram("pre-commit", "--version");

guideTest("docs/guides/scanning_in_ci.md", {
  serves: false,
  prepare: (reader) => copyFiles(reader, MODELS),
  async verify({ directory }) {
    const report = JSON.parse(await Deno.readTextFile(`${directory}/models.sarif`));
    assert.equal(report.version, "2.1.0");
    const workflow = await yamlOf(`${directory}/.github/workflows/scan.yml`);
    const action = await yamlOf(`${ROOT}action.yml`);
    const inputs = workflow.flatMap((key) => /steps\.with\.([\w-]+)$/.exec(key)?.[1] ?? []);
    const known = action.flatMap((key) => /^inputs\.([\w-]+)\./.exec(key)?.[1] ?? []);
    assert.deepEqual(inputs.filter((it) => !known.includes(it)), ["sarif_file"]);
    if (!hasPreCommit) return;
    const config = `${directory}/.pre-commit-config.yaml`;
    const { code, stdout } = await run("pre-commit", ["validate-config", config]);
    assert.equal(code, 0, stdout);
  },
});

/** The paths of all values of a YAML file. */
async function yamlOf(path: string): Promise<string[]> {
  const text = await Deno.readTextFile(path);
  return valuesOf(readYaml(asLatin1(text))).map(([key]) => key);
}
