import * as assert from "node:assert/strict";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { FileMetadata, Issue, Report, reportJsonSchema } from "../../../schemas/report/report.ts";
import { uri } from "../../../schemas/report/values.ts";
import { changed, type FieldCase, fieldCases, valueAt } from "../../conformance/report_cases.ts";
import { fullReport, RECORDS } from "../../conformance/report_table.ts";

/** The field in the parsed report. */
function outcome({ at, field }: FieldCase, given: unknown): { present: boolean; value: unknown } {
  const report = v.parse(Report, changed(at, field, given));
  const record = valueAt(report, at);
  assert.ok(typeof record === "object" && record !== null);
  return { present: Object.hasOwn(record, field), value: Reflect.get(record, field) };
}

Deno.test("SR 2.1 to SR 2.12 every field", async (t) => {
  for (const row of fieldCases()) {
    const { rule, record, field, type, accepts, refuses, required } = row;
    await t.step(`${rule} ${record}.${field} is ${type}`, () => {
      for (const value of accepts) assert.deepEqual(outcome(row, value), { present: true, value });
      for (const [value] of refuses) {
        assert.throws(() => outcome(row, value), v.ValiError, JSON.stringify(value));
      }
    });
    await t.step(`C 16 ${record}.${field} left out`, () => {
      if (required) assert.throws(() => outcome(row, undefined), v.ValiError);
      else {
        const present = row.default !== undefined;
        assert.deepEqual(outcome(row, undefined), { present, value: row.default });
      }
    });
  }
});

Deno.test("SR 2.1 a full report is unchanged, and a minimal one gets all defaults", () => {
  assert.deepEqual(v.parse(Report, fullReport()), fullReport());
  const rows = fieldCases().filter(({ record }) => record === "Report");
  const filled = (required: boolean) =>
    rows.filter((row) => row.required === required).map(({ field, default: absent }) =>
      required ? [field, Reflect.get(fullReport(), field)] : [field, absent]
    );
  const least = Object.fromEntries(filled(true));
  assert.deepEqual(v.parse(Report, least), { ...least, ...Object.fromEntries(filled(false)) });
});

Deno.test("C 16 reports do not share default lists and maps", () => {
  const least = JSON.stringify({ ...fullReport(), issues: undefined, file_metadata: { a: {} } });
  const one = v.parse(Report, JSON.parse(least));
  one.issues.push({ ...v.parse(Report, fullReport()).issues[0] ?? assert.fail() });
  Object.assign(one.file_metadata["a"]?.member_file_hashes ?? assert.fail(), { b: {} });
  const other = v.parse(Report, JSON.parse(least));
  assert.deepEqual(other.issues, []);
  assert.deepEqual(other.file_metadata["a"]?.member_file_hashes, {});
});

Deno.test("SR 1 and C 16 undeclared properties", async (t) => {
  for (const [record, { at, keeps }] of Object.entries(RECORDS)) {
    // Some of these names are inherited by every object.
    for (const key of ["extra", "constructor", "prototype", "__proto__", "toString", ""]) {
      await t.step(`C 16 ${record}["${key}"] is ${keeps ? "kept" : "dropped"}`, () => {
        const value = { polluted: [1, { a: null }] };
        const given = changed(at, key, value);
        const before = JSON.stringify(given);
        const report = v.parse(Report, given);
        const found = valueAt(report, at);
        assert.ok(typeof found === "object" && found !== null);
        assert.equal(Object.hasOwn(found, key), keeps);
        if (keeps) assert.deepEqual(Object.getOwnPropertyDescriptor(found, key)?.value, value);
        assert.equal(Object.getPrototypeOf(found), Object.prototype);
        assert.equal("polluted" in {}, false);
        assert.equal(JSON.stringify(given), before);
      });
    }
  }
});

Deno.test("C 16 a map takes any key as data", () => {
  const keys = ["__proto__", "constructor", "prototype", "toString", "a/b c", "0", ""];
  const maps: [(string | number)[], string, unknown][] = [
    [[], "file_metadata", { file_size: 7 }],
    [["file_metadata", "m"], "member_file_hashes", { occurrence: 7 }],
    [["file_metadata", "m", "ml_context"], "frameworks", { name: "f" }],
    [["issues", 0], "details", 7],
    [["checks", 0], "details", [7]],
    [[], "scanner_selection", { a: 7 }],
  ];
  for (const [at, field, value] of maps) {
    const entries = keys.map((key) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
    const report = v.parse(Report, changed(at, field, JSON.parse(`{${entries.join()}}`)));
    const map = valueAt(report, [...at, field]);
    assert.ok(typeof map === "object" && map !== null);
    assert.deepEqual(Object.keys(map).sort(), keys.toSorted(), field);
    assert.equal(Object.getPrototypeOf(map), Object.prototype);
    for (const key of keys) {
      const own: unknown = Object.getOwnPropertyDescriptor(map, key)?.value;
      const [first] = Object.entries(Object(value));
      if (first === undefined) assert.equal(own, value);
      else assert.equal(Reflect.get(Object(own), first[0]), first[1], `${field} ${key}`);
    }
  }
});

Deno.test("SR 2.1 a hostile report causes a bounded number of issues", () => {
  const many = (value: unknown) => Array<unknown>(100_000).fill(value);
  const worst = {
    issues: many({ details: 1 }),
    scanner_names: many(1),
    file_metadata: Object.fromEntries(many({ license_info: many(1) }).entries()),
  };
  const { issues = [] } = v.safeParse(Report, worst);
  assert.ok(issues.length > 2000 && issues.length < 10_000, String(issues.length));
});

Deno.test("SR 2.1 to SR 2.12 reportJsonSchema() agrees", async (t) => {
  const schema = JSON.parse(JSON.stringify(reportJsonSchema()));
  assert.equal(schema.$schema, "https://json-schema.org/draft/2020-12/schema");
  assert.deepEqual(
    Object.keys(schema.$defs).sort(),
    Object.keys(RECORDS).filter((name) => name !== "Report").sort(),
  );
  for (const { rule, record, field, type, required, default: absent } of fieldCases()) {
    await t.step(`${rule} ${record}.${field}`, () => {
      const described = record === "Report" ? schema : schema.$defs[record];
      assert.equal(described.type, "object");
      assert.equal(described.additionalProperties, undefined);
      assert.equal(described.required?.includes(field) ?? false, required);
      const { default: filledIn, ...rest } = described.properties[field];
      assert.deepEqual(filledIn, absent);
      assert.deepEqual(rest, jsonSchemaOf(type));
    });
  }
});

const { pattern: URI_PATTERN } = toJsonSchema(uri);

/** The JSON Schema of a type in SR. */
function jsonSchemaOf(type: string): unknown {
  if (type.endsWith(" or null")) {
    return { anyOf: [jsonSchemaOf(type.slice(0, -" or null".length)), { type: "null" }] };
  }
  const [kind = "", of = ""] = type.split(" of ");
  if (kind === "array") return { type: "array", items: jsonSchemaOf(of) };
  const propertyNames = { type: "string" };
  if (kind === "map") {
    return { type: "object", propertyNames, additionalProperties: jsonSchemaOf(of) };
  }
  const [, digits] = /^(\d+) hex$/.exec(type) ?? [];
  if (digits !== undefined) return { type: "string", pattern: `^[0-9a-fA-F]{${digits}}$` };
  switch (type) {
    case "integer >= 0":
      return { type: "integer", minimum: 0 };
    case "integer >= 1":
      return { type: "integer", minimum: 1 };
    case "number 0 to 1":
      return { type: "number", minimum: 0, maximum: 1 };
    case "object":
      return { type: "object", propertyNames, additionalProperties: {} };
    case "CheckStatus":
      return { type: "string", enum: ["passed", "failed", "skipped"] };
    case "IssueSeverity":
      return { type: "string", enum: ["debug", "info", "warning", "critical"] };
    case "URI":
      return { type: "string", minLength: 1, maxLength: 2083, pattern: URI_PATTERN };
    default:
      return type in RECORDS ? { $ref: `#/$defs/${type}` } : { type };
  }
}

Deno.test("SR 1 the types of records reject misspelled properties", () => {
  const issue: Issue = { message: "m", severity: "info" };
  // @ts-expect-error an issue has no such property
  const misspelled: Issue = { message: "m", severiti: "info" };
  // @ts-expect-error a severity is one of four words
  const wrong: Issue = { message: "m", severity: "error" };
  const metadata: FileMetadata = { file_size: 1, added_by_a_scanner: [1] };
  const valid = [issue, misspelled, wrong].map((it) => v.is(Issue, it));
  assert.deepEqual(valid, [true, true, false]);
  assert.equal(v.is(FileMetadata, metadata), true);
});
