import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { reportCycloneDx } from "../../../../core/scanner/report/cyclonedx.ts";
import { reportJunit } from "../../../../core/scanner/report/junit.ts";
import { reportSarif } from "../../../../core/scanner/report/sarif.ts";
import { readXml } from "../../../../core/scanner/readers/xml/read_xml.ts";
import { cycloneDxFaults, sarifFaults } from "../../../support/json_schemas.ts";
import { check, failed, outcomes, report, scanOf, sha256 } from "./outcomes.ts";

const HASHES = {
  md5: "a".repeat(32),
  sha1: "b".repeat(40),
  sha256: sha256("content"),
  sha512: "d".repeat(128),
};
const REPORT = report(
  {
    path: "models/a.safetensors",
    scan: scanOf([
      check({ name: "Header" }),
      failed({ name: "Import", severity: "critical", ruleCode: "S101", message: "<os> & \u0007" }),
      failed({ name: "Note", severity: "info" }),
      check({ name: "Known Format", status: "skipped", message: "Not scanned" }),
    ], {
      hashes: HASHES,
      metadata: {
        is_model: true,
        license_info: [
          { spdx_id: "MIT", name: "MIT License", url: "https://spdx.org/licenses/MIT.html" },
          { spdx_id: null, name: "Gemma Terms of Use" },
        ],
        copyright_notices: [{ holder: "A", text: "(c) A" }],
        ml_context: {
          frameworks: { safetensors: { name: "safetensors" } },
          model_type: "llama",
          parameter_count_estimate: 7,
          precision_type: "BF16",
        },
      },
    }),
  },
  { path: "b.csv", scan: scanOf([check()]) },
  { path: "gone.bin", error: "No such file" },
);

Deno.test("C 25 SARIF conforms to the schema of OASIS, whatever the report", async () => {
  const options = { version: "1.2.3", base: "/repo" };
  assert.deepEqual(await sarifFaults(reportSarif(REPORT, options)), []);
  assert.notDeepEqual(await sarifFaults({ version: "2.1.0", runs: [{}] }), []);
  await fc.assert(
    fc.asyncProperty(outcomes, async (files) => {
      assert.deepEqual(await sarifFaults(reportSarif(report(...files), options)), []);
    }),
    { numRuns: 10 },
  );
});

Deno.test("C 25 a bill of materials conforms to the schema of CycloneDX, whatever the report", async () => {
  const bom = reportCycloneDx(REPORT, "1.2.3");
  assert.deepEqual(await cycloneDxFaults(bom), []);
  assert.notDeepEqual(await cycloneDxFaults({ ...bom, specVersion: 1 }), []);
  await fc.assert(
    fc.asyncProperty(outcomes, async (files) => {
      assert.deepEqual(await cycloneDxFaults(reportCycloneDx(report(...files), "1.2.3")), []);
    }),
    { numRuns: 10 },
  );
});

Deno.test("C 25 a bill of materials has a component for each file and a vulnerability for each issue", () => {
  const bom = Object(reportCycloneDx(REPORT, "1.2.3"));
  const [model, data, gone] = bom.components;
  assert.deepEqual([model.type, data.type, gone.type], ["machine-learning-model", "data", "file"]);
  assert.deepEqual(model.hashes.map(({ alg }: { alg: string }) => alg), [
    "MD5",
    "SHA-1",
    "SHA-256",
    "SHA-512",
  ]);
  assert.deepEqual(model.licenses, [
    { license: { id: "MIT", url: "https://spdx.org/licenses/MIT.html" } },
    { license: { name: "Gemma Terms of Use" } },
  ]);
  assert.deepEqual(model.modelCard, {
    modelParameters: { modelArchitecture: "llama" },
    properties: [
      { name: "strongroom:frameworks", value: "safetensors" },
      { name: "strongroom:precision", value: "BF16" },
      { name: "strongroom:parameters", value: "7" },
    ],
  });
  const [first] = bom.vulnerabilities;
  assert.equal(first.id, "S101");
  assert.deepEqual(first.ratings, [{ severity: "critical", method: "other" }]);
  assert.deepEqual(first.affects, [{ ref: "file:models/a.safetensors" }]);
  assert.equal(bom.vulnerabilities.length, REPORT.issues.length);
  assert.deepEqual(reportCycloneDx(REPORT, "1.2.3"), bom);
});

/** The elements of XML in order, with their attributes. It must be well-formed. */
function elementsOf(xml: string): [string, Record<string, string>][] {
  const open: string[] = [];
  return [...readXml(xml)].flatMap((token) => {
    assert.ok(token.kind !== "broken" && token.kind !== "cut", xml);
    if (token.kind === "end") open.pop();
    return token.kind === "element"
      ? [[token.name, Object.fromEntries(token.attributes)] as [string, Record<string, string>]]
      : [];
  });
}

Deno.test("C 25 JUnit has a suite for each file, and a case for each check", () => {
  const xml = reportJunit(REPORT);
  const elements = elementsOf(xml);
  const named = (name: string) => elements.filter(([it]) => it === name).map(([, it]) => it);
  assert.deepEqual(named("testsuites"), [{
    name: "strongroom",
    tests: "6",
    failures: "1",
    errors: "1",
    skipped: "1",
    time: "102.000",
  }]);
  assert.deepEqual(named("testsuite").map(({ name, tests }) => [name, tests]), [
    ["models/a.safetensors", "4"],
    ["b.csv", "1"],
    ["gone.bin", "1"],
  ]);
  assert.deepEqual(named("failure").map(({ type }) => type), ["S101"]);
  assert.equal(named("error").length, 1);
  assert.match(xml, /message="&lt;os&gt; &amp; \ufffd"/);
});

Deno.test("C 25 JUnit has an error for what was not read to its end", () => {
  const cut = check({ status: "skipped", message: "Stops here", incomplete: "truncated" });
  const info = failed({ name: "Note", severity: "info", incomplete: "truncated" });
  const xml = reportJunit(report({ path: "cut.pkl", scan: scanOf([cut, info]) }));
  assert.match(xml, /^<testsuites [^>]*failures="0" errors="2" skipped="0"/m);
  assert.match(xml, /<error message="Stops here"/);
});

Deno.test("C 25 JUnit is well-formed, whatever the report", () => {
  fc.assert(fc.property(outcomes, (files) => {
    const made = report(...files);
    const xml = reportJunit(made);
    const cases = elementsOf(xml).filter(([name]) => name === "testcase");
    assert.equal(cases.length, made.checks.length);
    // deno-lint-ignore no-control-regex -- what XML 1.0 does not allow
    assert.doesNotMatch(xml, /[\x00-\x08\x0b-\x1f\ud800-\udfff]/u);
  }));
});
