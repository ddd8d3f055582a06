import * as assert from "node:assert/strict";
import type { Check, Scanner } from "../../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { inspectCode } from "../../../../../core/scanner/formats/keras/code.ts";
import { kerasScanner } from "../../../../../core/scanner/formats/keras/scanner.ts";
import { manifestScanner } from "../../../../../core/scanner/formats/manifest/scanner.ts";
import { pickleScanner } from "../../../../../core/scanner/formats/pickle/scanner.ts";
import {
  DANGEROUS_NAMES,
  dangerousBuiltins,
  type DangerousName,
  dottedPath,
} from "../../../../../core/scanner/knowledge/python/dangerous_names.ts";
import { FRAMEWORKS } from "../../../../../core/scanner/knowledge/python/danger.ts";
import { checkTemplate } from "../../../../../core/scanner/templates/check.ts";
import { RecordingContext } from "../../recording_context.ts";
import { verdict } from "../../verdict.ts";

/** A reference to an entry: a module, and a name in it. */
interface Reference {
  readonly module: string;
  readonly name: string;
}

/** Names that are harmless in every module, so that only the module is judged. */
const HARMLESS = "thing";

function referenceTo({ module, name, anywhere }: DangerousName): Reference {
  if (anywhere === "part") return { module: `${module}.sub.${name}`, name: HARMLESS };
  if (anywhere === "name") return { module: `${module}.sub`, name: name ?? HARMLESS };
  return { module, name: name ?? HARMLESS };
}

function scan(scanner: Scanner, name: string, content: string): readonly Check[] {
  const source = memorySource(new TextEncoder().encode(content));
  return [...scanner.scan({ name, source, depth: 0 }, new RecordingContext())];
}

const pickle = ({ module, name }: Reference) =>
  scan(pickleScanner, "model.pkl", `c${module}\n${name}\n.`);

const keras = ({ module, name }: Reference) =>
  scan(kerasScanner, "config.json", JSON.stringify({ class_name: name, module, config: {} }));

const manifest = ({ module, name }: Reference) =>
  scan(manifestScanner({ checkTemplate }), "config.yaml", `_target_: ${module}.${name}\n`);

/** The entries for which a reference does not get the expected verdict, with both verdicts. */
function misjudged(
  entries: readonly DangerousName[],
  scanReference: (reference: Reference) => readonly Check[],
  expected: (entry: DangerousName) => string,
): string[] {
  return entries.flatMap((entry) => {
    const actual = verdict(scanReference(referenceTo(entry)));
    const path = dottedPath(entry.module, entry.name);
    return actual === expected(entry) ? [] : [`${path}: ${actual}, not ${expected(entry)}`];
  });
}

const BY_LEVEL = { forbidden: "C", uncalled: "W", odd: "W", ordinary: "OK" } as const;

Deno.test("C 16 no path is in the table of dangerous names twice", () => {
  const paths = DANGEROUS_NAMES.map(({ module, name }) => dottedPath(module, name));
  assert.deepEqual(paths.filter((path, index) => paths.indexOf(path) !== index), []);
  assert.ok(paths.length > 800, `${paths.length}`);
});

/** What pickles of honest models call. What these functions are given is judged by itself. */
const ORDINARY_IN_PICKLES: ReadonlySet<string> = new Set([
  "functools.partial",
  "operator.itemgetter",
]);

Deno.test("C 16 a pickle that imports a dangerous name gets the verdict and the rule of the table", () => {
  const entries = DANGEROUS_NAMES.filter(({ module, name }) =>
    !ORDINARY_IN_PICKLES.has(dottedPath(module, name))
  );
  assert.deepEqual(misjudged(entries, pickle, ({ level }) => BY_LEVEL[level]), []);
  const otherRules = DANGEROUS_NAMES.filter((entry) => {
    const found = pickle(referenceTo(entry)).find(({ severity }) => severity !== undefined);
    return entry.level !== "ordinary" && entry.rule !== undefined && found?.ruleCode !== entry.rule;
  });
  assert.deepEqual(otherRules, []);
});

/** What Keras itself offers has checks of its own, and its configs name builtins by habit. */
function isOfKeras({ module, name, anywhere, level, danger }: DangerousName): boolean {
  const [root = ""] = module.split(".", 1);
  if (root === "builtins") {
    return name === undefined || level === "odd" || danger === "indirection" || danger === "memory";
  }
  return FRAMEWORKS.split(" ").includes(root) && anywhere === undefined;
}

Deno.test("C 16 a Keras config that refers to a dangerous name is critical", () => {
  const entries = DANGEROUS_NAMES.filter((entry) => !isOfKeras(entry) && entry.name !== "get_file");
  assert.ok(entries.length > DANGEROUS_NAMES.length - 50);
  assert.deepEqual(misjudged(entries, keras, () => "C"), []);
});

function manifestVerdict({ module, level, danger }: DangerousName): string {
  if (module.split(".")[0] === "builtins" || /^__/.test(module)) return "C";
  if (level === "ordinary") return "OK";
  return level === "odd" || danger === "data" || danger === "indirection" ? "W" : "C";
}

Deno.test("C 16 a manifest that has a dangerous name called is critical, or a warning if it reads data", () => {
  const entries = DANGEROUS_NAMES.filter(({ module, name }) =>
    dottedPath(module, name) !== "functools.partial"
  );
  assert.deepEqual(misjudged(entries, manifest, manifestVerdict), []);
  assert.equal(verdict(manifest({ module: "functools", name: "partial" })), "OK");
});

Deno.test("C 16 a template that reaches a dangerous name is critical", () => {
  const rows = DANGEROUS_NAMES.flatMap(({ module, name, alone }) => [
    ...alone.includes("variable") ? [`{{ ${module}.environ }}`] : [],
    ...alone.includes("method") ? [`{{ x.${name}('id') }}`] : [],
  ]);
  const calls = dangerousBuiltins().map(({ name }) => `{{ ${name}('1') }}`);
  assert.ok(rows.length > 80 && calls.length > 15);
  assert.deepEqual([...rows, ...calls].filter((text) => verdict(checkTemplate(text)) !== "C"), []);
});

Deno.test("C 16 code that names a dangerous identifier is found", () => {
  const identifiers = DANGEROUS_NAMES.filter(({ alone }) => alone.includes("code"))
    .map(({ module, name }) => name ?? module);
  assert.deepEqual(
    identifiers.filter((name) => {
      const { dangerousNames } = inspectCode(`lambda x: ${name}(x)`);
      return !dangerousNames.includes(name);
    }),
    [],
  );
});

Deno.test("C 16 a module that another one holds is as dangerous as itself", () => {
  const modules = DANGEROUS_NAMES.filter(({ alone }) => alone.includes("part"));
  const missed = modules.filter(({ module }) =>
    verdict(pickle({ module: "acme", name: `_${module}.thing` })) !== "C" ||
    verdict(manifest({ module: `acme._${module}`, name: "thing" })) !== "C" ||
    verdict(keras({ module: `keras.${module}`, name: "thing" })) !== "C"
  );
  assert.ok(modules.length > 15);
  assert.deepEqual(missed, []);
});

Deno.test("C 16 what some lists lacked is flagged by every format that would run it", async (t) => {
  const paths = [
    "multiprocessing.Process",
    "asyncio.run",
    "webbrowser.open",
    "requests.get",
    "os.execve",
    "os.startfile",
    "subprocess.getoutput",
    "pdb.run",
    "timeit.timeit",
  ];
  for (const path of paths) {
    await t.step(path, () => {
      const [module = "", name = ""] = path.split(".");
      const scans = [pickle, keras, manifest].map((scanIt) => verdict(scanIt({ module, name })));
      assert.deepEqual(scans, ["C", "C", "C"]);
      const expression = JSON.stringify({ run: `$${path}('x')` });
      assert.equal(verdict(scan(manifestScanner({ checkTemplate }), "x.json", expression)), "C");
      const { dangerousNames } = inspectCode(`lambda x: ${path}(x)`);
      assert.ok(dangerousNames.length > 0);
    });
  }
  await t.step("prose about them is not", () => {
    const text = "It serves many requests, with asyncio, multiprocessing or a web browser; timeit.";
    const manifestText = JSON.stringify({ description: text, license: "MIT" });
    assert.equal(verdict(scan(manifestScanner({ checkTemplate }), "x.json", manifestText)), "OK");
    assert.equal(verdict(checkTemplate(`${text} {{ requests }} {{ http.port }}`)), "OK");
  });
  await t.step("nor are the expressions of ordinary MONAI bundles", () => {
    const run = [
      "$import os",
      "$import glob",
      "$os.path.join(@bundle_root, 'models')",
      "$list(sorted(glob.glob(@data + '/*.nii')))",
      "$pathlib.Path(@dir).name",
      "$torch.device('cuda' if torch.cuda.is_available() else 'cpu')",
      "$monai.handlers.from_engine(['pred', 'label'])",
      "$@requests.total + @http.port",
    ];
    const text = JSON.stringify({ run });
    assert.equal(verdict(scan(manifestScanner({ checkTemplate }), "x.json", text)), "OK");
  });
});
