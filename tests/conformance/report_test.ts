import * as assert from "node:assert/strict";
import fc from "fast-check";
import { validateParsedReport } from "../../core/reports.ts";
import { changed, fieldCases, written } from "./report_cases.ts";
import { reportFaults } from "./report_rules.ts";
import { fullReport } from "./report_table.ts";

/** The paths of the violations that the program finds. */
function violations(value: unknown): string[] {
  const verdict = validateParsedReport(value);
  return verdict.valid ? [] : verdict.violations.map(({ path }) => path);
}

Deno.test("SR 2.1 to SR 2.12 the schema and the rules agree on every field", async (t) => {
  for (const { rule, record, field, at, required, accepts, refuses } of fieldCases()) {
    await t.step(`${rule} ${record}.${field}`, () => {
      for (const value of accepts) {
        assert.deepEqual(reportFaults(changed(at, field, value)), []);
        assert.deepEqual(violations(changed(at, field, value)), []);
      }
      const path = written([...at, field]);
      for (const [value, within] of refuses) {
        const report = changed(at, field, value);
        assert.deepEqual(reportFaults(report), [path + within], JSON.stringify(value));
        assert.deepEqual(violations(report), [path + within], JSON.stringify(value));
      }
      const without = changed(at, field, undefined);
      assert.deepEqual(reportFaults(without), required ? [path] : []);
      assert.deepEqual(violations(without), required ? [path] : []);
    });
  }
});

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A change somewhere in a report. The numbers select keys on the path to it. */
interface Mutation {
  readonly where: number[];
  readonly what: "replace" | "remove" | "add";
  readonly key: string;
  readonly value: Json;
}

const odd: readonly Json[] = [
  null,
  true,
  0,
  1,
  -1,
  0.5,
  1.5,
  "",
  "a:b",
  "a".repeat(32),
  "A".repeat(64),
  "info",
  "passed",
  [],
  ["a"],
  [null],
  [{}],
  {},
  { a: {} },
  { a: null },
  { holder: "h" },
  { name: "n", status: "failed", message: "m", path: "p", type: "t" },
];

const mutations: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    where: fc.array(fc.nat(20), { minLength: 1, maxLength: 7 }),
    what: fc.constantFrom("replace", "replace", "replace", "remove", "add"),
    key: fc.constantFrom("extra", "a/b", "__proto__", "constructor", "message", "file_size", ""),
    value: fc.oneof(fc.constantFrom(...odd), fc.jsonValue({ maxDepth: 2 }).map(asJson)),
  }),
  { minLength: 1, maxLength: 3 },
);

function asJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value));
}

function mutate(report: Json, { where, what, key, value }: Mutation): void {
  let at = report;
  for (const [index, step] of where.entries()) {
    if (typeof at !== "object" || at === null) return;
    const keys = Object.keys(at);
    const chosen = keys[step % Math.max(keys.length, 1)];
    const next: Json | undefined = chosen === undefined ? undefined : Reflect.get(at, chosen);
    const last = index === where.length - 1 || typeof next !== "object" || next === null;
    if (!last) at = next;
    else {return change(
        at,
        what === "add" ? key : chosen ?? key,
        what === "remove" ? undefined : value,
      );}
  }
}

function change(at: Json[] | { [key: string]: Json }, key: string, value: Json | undefined): void {
  if (Array.isArray(at)) at.splice(Number(key) || 0, 1, ...value === undefined ? [] : [value]);
  else if (value === undefined) delete at[key];
  else {Object.defineProperty(at, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });}
}

Deno.test("SR 2.1 and C 16 the schema and the rules agree on reports with random changes", () => {
  const seen = { valid: 0, invalid: 0 };
  fc.assert(
    fc.property(mutations, (changes) => {
      const report: Json = asJson(fullReport());
      for (const one of changes) mutate(report, one);
      const given = JSON.stringify(report);
      const expected = reportFaults(report).sort();
      assert.deepEqual(violations(report).sort(), expected);
      assert.equal(JSON.stringify(report), given);
      const verdict = validateParsedReport(report);
      seen[verdict.valid ? "valid" : "invalid"]++;
      if (!verdict.valid) return;
      // The report with defaults is valid, and validating it again changes nothing.
      assert.deepEqual(reportFaults(verdict.report), []);
      assert.equal(
        JSON.stringify(validateParsedReport(verdict.report)),
        JSON.stringify(verdict),
      );
    }),
    { seed: 16, numRuns: 5000 },
  );
  assert.ok(seen.valid > 500 && seen.invalid > 500, JSON.stringify(seen));
});
