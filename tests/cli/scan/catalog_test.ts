import * as assert from "node:assert/strict";
import { OPTIONAL_SCANNER_IDS, report, RULES, SCANNER_IDS } from "../../../core/scanner/mod.ts";
import { scan } from "../../../core/scanner/scan.ts";
import { memorySource } from "../../../core/scanner/contract/source.ts";
import { compareSeverity, severityOf } from "../../../core/scanner/contract/severity.ts";
import { worstSeverityOf } from "../../../core/scanner/contract/rule_severity.ts";
import { isRuleCode } from "../../../core/scanner/contract/rules.ts";
import { CATALOG, UNKNOWN_FORMATS } from "../../../core/scanner/formats/catalog.ts";
import { SCANNERS } from "../../../core/scanner/formats/mod.ts";
import { FIXTURES } from "../../fixtures/fixtures.ts";
import { ROOT, strongroom } from "../../support/child_server.ts";

Deno.test("C 25 strongroom rules tells what rules mean", async (t) => {
  await t.step("C 25 one rule: its meaning, its severity and what to do", async () => {
    const { code, stdout } = await strongroom(["rules", "s104"]);
    assert.equal(code, 0);
    assert.equal(
      stdout,
      `S104 eval, exec\n  Severity: critical at most\n  Why: ${RULES.S104.why}\n` +
        `  What to do: ${RULES.S104.advice}\n`,
    );
  });
  await t.step("C 25 all rules, as text and as JSON", async () => {
    const { stdout } = await strongroom(["rules"]);
    const codes = Object.keys(RULES);
    assert.deepEqual([...stdout.matchAll(/^S\d+/gm)].map(([code]) => code), codes);
    const json = JSON.parse((await strongroom(["rules", "--json"])).stdout);
    assert.deepEqual(json.map((it: { code: string }) => it.code), codes);
    assert.deepEqual(Object.keys(json[0]), ["code", "severity", "title", "why", "advice"]);
  });
  await t.step("C 25 refuses unknown rules", async () => {
    for (const args of [["S9999"], ["S101", "S102"], ["--all"]]) {
      const { code, stdout, stderr } = await strongroom(["rules", ...args]);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, /^strongroom: .+\n$/);
    }
  });
  await t.step("C 25 no finding in a fixture is worse than its rule", async () => {
    const worse: string[] = [];
    for (const { path } of FIXTURES) {
      const bytes = await Deno.readFile(`${ROOT}tests/fixtures/models/${path}`);
      const name = path.slice(path.lastIndexOf("/") + 1);
      const files = [{ path, scan: scan(memorySource(bytes), { name }) }];
      for (const issue of report({ files, startTime: 0, duration: 0, skip: [] }).issues) {
        const { rule_code: code } = issue;
        if (!isRuleCode(code)) continue;
        const limit = worstSeverityOf(code);
        if (compareSeverity(severityOf(issue), limit) < 0) worse.push(`${code} ${issue.message}`);
      }
    }
    assert.deepEqual(worse, []);
  });
});

Deno.test("the catalog has all scanners in the order they run", () => {
  const optional = SCANNERS.filter((it) => it.optional).map(({ id }) => id);
  assert.deepEqual(SCANNER_IDS, SCANNERS.map(({ id }) => id));
  assert.deepEqual(OPTIONAL_SCANNER_IDS, optional);
});

Deno.test("C 25 strongroom scanners tells what is read, recognized and unknown", async (t) => {
  await t.step("C 25 has a row for each scanner", async () => {
    const { code, stdout } = await strongroom(["scanners"]);
    assert.equal(code, 0);
    const [read = "", recognized = "", unknown = ""] = stdout.split("\n\n");
    const idsIn = (text: string) => [...text.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, id]) => id);
    const all = new Set([...idsIn(read), ...idsIn(recognized)]);
    assert.deepEqual([...all].toSorted(), SCANNER_IDS.toSorted());
    assert.match(recognized, /unsupported_archive +RAR/);
    assert.match(unknown, /Orbax/);
    const json = JSON.parse((await strongroom(["scanners", "--json"])).stdout);
    assert.deepEqual(json.scanners.map(({ id }: { id: string }) => id), SCANNER_IDS);
    assert.deepEqual(json.unknown, UNKNOWN_FORMATS);
  });
  await t.step("C 25 docs/reference/scanning.md has the same rows", async () => {
    const text = await Deno.readTextFile(`${ROOT}docs/reference/scanning.md`);
    const rows = text.matchAll(/^\| `(\w+)` +\| ([^|]+?) +\|/gm);
    const documented = new Map([...rows].map(([, id = "", files = ""]) => [id, plain(files)]));
    for (const [id, { read, recognized }] of Object.entries(CATALOG)) {
      const files = documented.get(id) ?? "";
      assert.ok(files.startsWith(read ?? recognized ?? "?"), `${id}: ${files}`);
    }
  });
});

/** A text without code marks. */
function plain(markdown: string): string {
  return markdown.replaceAll("`", "");
}
