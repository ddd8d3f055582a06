import * as assert from "node:assert/strict";
import { statSync } from "node:fs";
import { parse as parseToml } from "smol-toml";
import { readYaml } from "../../core/scanner/readers/yaml/read_yaml.ts";
import { readSettings, SETTING_VARIABLES } from "../../schemas/settings.ts";
import { asLatin1, valuesOf } from "../core/scanner/readers/document_events.ts";
import { ROOT } from "../support/child_server.ts";

/** Reads the blocks of a document that no program runs, by language. They throw for what is invalid. */
export const PARSERS: Readonly<Record<string, (text: string) => void>> = {
  yaml: (text) => assert.ok(valuesOf(readYaml(asLatin1(text))).length > 0),
  toml: (text) => assert.ok(Object.keys(parseToml(text)).length > 0),
  ini: assertAreSettings,
  // The file of another program.
  conf: (text) => assert.match(text, /^(?:(?:\[\w+\]|\w+ = .+)?\n)+$/),
  // tests/engines/rights_test.ts runs it.
  sql: (text) => assert.match(text, /;\n$/),
  tree: assertIsCheckout,
  drawing: assertDrawsPaths,
};

/** Asserts that every line sets a setting to a value that it accepts. */
function assertAreSettings(text: string): void {
  const lines = text.trim().split("\n").map((line) => line.split("="));
  const values = new Map(lines.map(([name = "", ...value]) => [name, value.join("=")]));
  assert.deepEqual([...values.keys()].filter((it) => !SETTING_VARIABLES.includes(it)), []);
  readSettings((name) => values.get(name));
}

/** Asserts that every directory and file of a tree, indented by two spaces a level, is in the checkout. */
function assertIsCheckout(text: string): void {
  const parents: string[] = [];
  for (const [, indent = "", name = ""] of text.matchAll(/^( *)([\w.-]+\/?)(?:$| )/gm)) {
    const level = indent.length / 2;
    if (!Number.isInteger(level) || level > parents.length) continue;
    if (!name.endsWith("/") && !name.endsWith(".ts")) continue;
    parents.splice(level);
    statSync(`${ROOT}${parents.join("")}${name}`);
    parents.push(name);
  }
  assert.ok(parents.length > 0);
}

/** Asserts that every path of a drawing is in the checkout. */
function assertDrawsPaths(text: string): void {
  const paths = text.match(/\b(?:cli|core|routes|schemas|storage|packaging)\/[\w./]*|\w+\.ts\b/g) ??
    [];
  for (const path of paths) statSync(ROOT + path);
  assert.ok(paths.length > 0);
}
