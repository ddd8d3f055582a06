/** Reads YAML with Python: what others' programs read must be read as they do, with anchors and merged keys. */

import * as assert from "node:assert/strict";
import { pythonWith, run } from "./tools.ts";

const python = await pythonWith("yaml");

/** Whether the tests can run. They are skipped without a Python that has PyYAML. */
export const HAS_YAML = python !== undefined;

const PROGRAM = "import json, sys, yaml; " +
  "print(json.dumps([it for it in yaml.safe_load_all(open(sys.argv[1])) if it]))";

/** The documents of a file. */
export async function readYamlFile(path: string): Promise<unknown[]> {
  assert.ok(python !== undefined);
  const { code, stdout, stderr } = await run(python, ["-c", PROGRAM, path]);
  assert.equal(code, 0, stderr);
  const documents: unknown = JSON.parse(stdout);
  assert.ok(Array.isArray(documents));
  return documents;
}
