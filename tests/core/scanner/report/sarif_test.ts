import * as assert from "node:assert/strict";
import * as fc from "fast-check";
import { reportOf } from "../../../../core/scanner/report/report.ts";
import { reportSarif } from "../../../../core/scanner/report/sarif.ts";
import type { Issue, Report } from "../../../../schemas/report/report.ts";
import { RULES } from "../../../../core/scanner/contract/rules.ts";

const OPTIONS = {
  version: "1.2.3",
  base: "/work/repo",
  lineOf: (path: string, position: number) => path.endsWith(".json") ? position + 100 : undefined,
};

function runOf(parts: Partial<Report>) {
  const report = reportOf({ files: [], startTime: 1_700_000_000.5, duration: 1.5 });
  const { runs: [run], ...log } = reportSarif({ ...report, ...parts }, OPTIONS);
  assert.deepEqual(log, {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
  });
  return run ?? {};
}

/** The first result of a report with one issue in files at these paths. */
function resultOf(issue: Issue, ...paths: string[]) {
  const assets = paths.map((path) => ({ path, type: "pickle" }));
  const [result] = Object(runOf({ issues: [issue], assets })["results"]);
  return result;
}

const ISSUE: Issue = {
  message: "Calls os.system",
  severity: "critical",
  location: "dir/a.pkl (pos 12)",
  details: { name: "os.system" },
  why: "It can.",
  type: "pickle_check",
  rule_code: "S101",
};

Deno.test("C 16 reportSarif() has a result per issue", () => {
  const { partialFingerprints, ...result } = resultOf(ISSUE, "dir/a.pkl");
  assert.deepEqual(result, {
    ruleId: "S101",
    ruleIndex: 0,
    level: "error",
    message: { text: "Calls os.system (at byte 12). It can." },
    locations: [{
      physicalLocation: {
        artifactLocation: { uri: "dir/a.pkl", uriBaseId: "%SRCROOT%" },
        region: { startLine: 1, byteOffset: 12, byteLength: 0 },
      },
    }],
    properties: { severity: "critical", why: "It can.", details: { name: "os.system" } },
  });
  assert.match(partialFingerprints["ruleMessageLocation/v1"], /^[0-9a-f]{64}:1$/);
});

Deno.test("reportSarif() describes the rules that results refer to", () => {
  const issues = [{ message: "a", type: "zip_check" }, ISSUE, { message: "b" }, ISSUE];
  const run = runOf({ issues });
  const { driver } = Object(run["tool"]);
  const { rules, ...tool } = driver;
  assert.deepEqual(tool, { name: "strongroom", version: "1.2.3", semanticVersion: "1.2.3" });
  const { title, why, advice } = RULES.S101;
  assert.deepEqual(rules[0], {
    id: "S101",
    name: title,
    shortDescription: { text: `Import: ${title}` },
    fullDescription: { text: why },
    help: { text: `${why} ${advice}`, markdown: `**${title}**\n\n${why}\n\n${advice}` },
    defaultConfiguration: { level: "error" },
    properties: {
      tags: ["security", "machine-learning"],
      precision: "high",
      "security-severity": "9.5",
    },
  });
  assert.deepEqual(rules.map(({ id }: { id: string }) => id), ["S101", "check", "zip_check"]);
  for (const { help, shortDescription } of rules) assert.ok(help.text && shortDescription.text);
  const results: { ruleId: string; ruleIndex: number }[] = Object(run["results"]);
  assert.deepEqual(results.map(({ ruleId, ruleIndex }) => [ruleId, ruleIndex]), [
    ["zip_check", 2],
    ["S101", 0],
    ["check", 1],
    ["S101", 0],
  ]);
});

Deno.test("reportSarif() has a level per severity", () => {
  const levels = (["critical", "warning", "info", "debug", undefined] as const).map((severity) =>
    resultOf({ message: "m", ...(severity && { severity }) }).level
  );
  assert.deepEqual(levels, ["error", "warning", "note", "note", "warning"]);
});

Deno.test("C 25 SARIF has rules of their own for what is no finding, which services show as notes", () => {
  const issues: Issue[] = [ISSUE, { ...ISSUE, severity: "info" }];
  const run = Object(runOf({ issues }));
  const results: { ruleId: string }[] = run.results;
  assert.deepEqual(results.map(({ ruleId }) => ruleId), ["S101", "S101/info"]);
  const [, info] = run.tool.driver.rules;
  assert.equal(info.shortDescription.text, "Import: os");
  assert.deepEqual(info.properties, { tags: ["machine-learning"], precision: "high" });
});

Deno.test("C 25 SARIF messages name the member, the position and the reason", () => {
  const messageOf = (location: string, why?: string) =>
    resultOf({ message: "Calls x", location, ...(why && { why }) }, "a.zip").message.text;
  assert.equal(messageOf("a.zip"), "Calls x");
  assert.equal(messageOf("a.zip (pos 3)"), "Calls x (at byte 3)");
  const member = messageOf("a.zip:data.pkl (pos 28)", "Runs a program");
  assert.equal(member, "Calls x (in data.pkl at byte 28). Runs a program");
});

Deno.test("C 16 reportSarif() splits locations", async (t) => {
  const rows: [string, string, string | undefined, number | undefined][] = [
    ["a.zip", "a.zip", undefined, undefined],
    ["/work/repo/a.zip", "a.zip", undefined, undefined],
    ["../repo/./x/../a.zip", "a.zip", undefined, undefined],
    ["../other/a.zip", "file:///work/other/a.zip", undefined, undefined],
    ["a.zip (pos 3)", "a.zip", undefined, 3],
    ["a.zip:in/b.pkl (pos 3)", "a.zip", "in/b.pkl", undefined],
    ["dir:1/ä ?#.bin", "dir%3A1/%C3%A4%20%3F%23.bin", undefined, undefined],
    ["/abs/\ud800", "file:///abs/%EF%BF%BD", undefined, undefined],
  ];
  for (const [location, uri, member, byteOffset] of rows) {
    await t.step(location, () => {
      const paths = [
        "a.zip",
        "/work/repo/a.zip",
        "../repo/./x/../a.zip",
        "../other/a.zip",
        "dir:1/ä ?#.bin",
        "/abs/\ud800",
      ];
      const [{ physicalLocation, logicalLocations }] =
        resultOf({ ...ISSUE, location }, ...paths).locations;
      const { uri: found, uriBaseId } = physicalLocation.artifactLocation;
      assert.equal(found, uri);
      assert.equal(uriBaseId, uri.startsWith("file:") ? undefined : "%SRCROOT%");
      assert.equal(physicalLocation.region.byteOffset, byteOffset);
      assert.equal(physicalLocation.region.startLine, 1);
      assert.deepEqual(
        logicalLocations,
        member && [{ kind: "member", name: member, fullyQualifiedName: location }],
      );
    });
  }
  await t.step("a position in a text has its line", () => {
    const issue = { ...ISSUE, location: "a.json (pos 3)" };
    const [{ physicalLocation: { region } }] = resultOf(issue, "a.json").locations;
    assert.deepEqual(region, { startLine: 103, byteOffset: 3, byteLength: 0 });
  });
  await t.step("an issue without a location is at the base", () => {
    const [{ physicalLocation }] = resultOf({ message: "m", location: null }).locations;
    assert.deepEqual(physicalLocation, {
      artifactLocation: { uri: "./", uriBaseId: "%SRCROOT%" },
      region: { startLine: 1 },
    });
  });
});

Deno.test("reportSarif() gives a finding the same fingerprint in every scan, and others different ones", () => {
  const of = (parts: Partial<Issue>) =>
    resultOf({ ...ISSUE, ...parts }).partialFingerprints["ruleMessageLocation/v1"];
  assert.equal(of({ timestamp: 5, severity: "info" }), of({ timestamp: 9 }));
  const others = [{}, { message: "x" }, { location: "x" }, { rule_code: "S102" }].map(of);
  assert.equal(new Set(others).size, 4);
});

Deno.test("C 25 a finding that moves within its file keeps its fingerprint in SARIF", () => {
  const of = (...locations: string[]) => {
    const issues = locations.map((location) => ({ ...ISSUE, location }));
    const results = Object(runOf({ issues, assets: [{ path: "a", type: "x" }] })["results"]);
    return Array.from(
      results,
      (it) => Object(it).partialFingerprints.primaryLocationLineHash,
    );
  };
  const [first] = of("a (pos 1)");
  assert.deepEqual(of("a (pos 9)"), [first]);
  const both = of("a (pos 1)", "a (pos 9)");
  assert.deepEqual(both, [first, String(first).replace(/:1$/, ":2")]);
  assert.notDeepEqual(of("a:m (pos 1)"), [first]);
});

Deno.test("reportSarif() lists each file once, with its hashes", () => {
  const assets = ["a", "b", "a", "__proto__"].map((path) => ({ path, type: "pickle" }));
  const file_metadata = {
    a: { file_size: 5, file_hashes: { md5: "1", sha1: "2", sha256: "3", sha512: null } },
  };
  assert.deepEqual(runOf({ assets, file_metadata })["artifacts"], [
    {
      location: { uri: "a", uriBaseId: "%SRCROOT%" },
      length: 5,
      hashes: { "md5": "1", "sha-1": "2", "sha-256": "3" },
    },
    { location: { uri: "b", uriBaseId: "%SRCROOT%" } },
    { location: { uri: "__proto__", uriBaseId: "%SRCROOT%" } },
  ]);
});

Deno.test("C 16 reportSarif() describes the invocation", () => {
  assert.deepEqual(runOf({ files_scanned: 1 })["invocations"], [{
    executionSuccessful: true,
    exitCode: 0,
    startTimeUtc: "2023-11-14T22:13:20.500Z",
    endTimeUtc: "2023-11-14T22:13:22.000Z",
  }]);
  assert.deepEqual(runOf({ has_errors: true, start_time: 1e300 })["invocations"], [{
    executionSuccessful: false,
    exitCode: 2,
  }]);
});

Deno.test("reportSarif() accepts any text, and JSON leaves its log unchanged", () => {
  const text = fc.string({ unit: "binary" });
  const issue = fc.record({ message: text, location: text, rule_code: text, type: text });
  fc.assert(fc.property(fc.array(issue), fc.array(text), (issues, paths) => {
    const run = runOf({ issues, assets: paths.map((path) => ({ path, type: "x" })) });
    assert.deepEqual(JSON.parse(JSON.stringify(run)), run);
    assert.equal(Object(run["results"]).length, issues.length);
  }));
});
