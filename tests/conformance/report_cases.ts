import * as assert from "node:assert/strict";
import { FIELDS, fullReport, RECORDS } from "./report_table.ts";

/** A field of a report with valid and invalid values. */
export interface FieldCase {
  readonly rule: string;
  readonly record: string;
  readonly field: string;
  /** As in SR. */
  readonly type: string;
  /** The path of its record in the full report. */
  readonly at: readonly (string | number)[];
  readonly required: boolean;
  /** The default, or undefined if there is none. */
  readonly default: unknown;
  readonly accepts: readonly unknown[];
  /** Invalid values, each with the path of the violation in it. */
  readonly refuses: readonly Refused[];
}

/** An invalid value and the path of the violation in it. */
export type Refused = readonly [value: unknown, path: string];

interface Values {
  readonly accepts: readonly unknown[];
  readonly refuses: readonly Refused[];
}

/** The cases of all fields in SR. */
export function fieldCases(): FieldCase[] {
  return FIELDS.trim().split("\n").map((line) => {
    const [rule = "", record = "", field = "", type = "", absent = ""] = line.split(" | ");
    const { at } = RECORDS[record] ?? assert.fail(line);
    return {
      rule,
      record,
      field,
      type,
      at,
      required: absent === "required",
      default: ["required", "-"].includes(absent) ? undefined : JSON.parse(absent),
      ...valuesOf(type),
    };
  });
}

/** The full report with one field changed, or removed if `value` is undefined. */
export function changed(at: readonly (string | number)[], field: string, value: unknown): unknown {
  const report = fullReport();
  const record = valueAt(report, at);
  assert.ok(typeof record === "object" && record !== null);
  if (value === undefined) Reflect.deleteProperty(record, field);
  else Object.defineProperty(record, field, { value, enumerable: true, configurable: true });
  return report;
}

/** The value at a path. */
export function valueAt(value: unknown, at: readonly (string | number)[]): unknown {
  return at.reduce(
    (whole, key) => Object(whole) === whole ? Reflect.get(Object(whole), key) : undefined,
    value,
  );
}

/** A path as violations write it. The keys of the full report are all plain words. */
export function written(at: readonly (string | number)[]): string {
  return at.map((key) => typeof key === "number" ? `[${key}]` : `.${key}`).join("").slice(1);
}

function valuesOf(type: string): Values {
  if (type.endsWith(" or null")) {
    const { accepts, refuses } = valuesOf(type.slice(0, -" or null".length));
    return { accepts: [...accepts, null], refuses: refuses.filter(([value]) => value !== null) };
  }
  const [, list] = /^array of (.+)$/.exec(type) ?? [];
  if (list !== undefined) return listValues(valuesOf(list));
  const [, map] = /^map of (.+)$/.exec(type) ?? [];
  if (map !== undefined) return mapValues(valuesOf(map));
  const [, digits] = /^(\d+) hex$/.exec(type) ?? [];
  if (digits !== undefined) return hexValues(Number(digits));
  if (type in RECORDS) return { accepts: [], refuses: NO_OBJECTS };
  return VALUES[type] ?? assert.fail(type);
}

const wrong = (...values: unknown[]): Refused[] => values.map((value) => [value, ""]);

const MAX_LENGTH_URI = `a:${"b".repeat(2081)}`;
const NO_OBJECTS = wrong([], [{}], "{}", 1, true, null);
/** By type name in SR. */
const VALUES: Readonly<Record<string, Values>> = {
  integer: {
    accepts: [0, -0, -1, 1e21, Number.MAX_SAFE_INTEGER],
    refuses: wrong(0.5, NaN, Infinity, "1", true, null, [], {}),
  },
  "integer >= 0": {
    accepts: [0, 7, 2 ** 60],
    refuses: wrong(-1, -0.5, 0.5, NaN, Infinity, "1", true, null, [1], {}),
  },
  "integer >= 1": {
    accepts: [1, 2 ** 60],
    refuses: wrong(0, -1, 1.5, NaN, Infinity, "1", true, null, [1], {}),
  },
  number: {
    accepts: [0, -1.5, 1763690583.123, 1e300],
    refuses: wrong(NaN, Infinity, -Infinity, "1", true, null, [1], {}),
  },
  "number 0 to 1": {
    accepts: [0, 1, 0.5, 5e-324],
    refuses: wrong(-5e-324, 1 + Number.EPSILON, 2, NaN, Infinity, "0.5", true, null, [], {}),
  },
  boolean: {
    accepts: [true, false],
    refuses: wrong(0, 1, "true", "", null, [], {}),
  },
  string: {
    accepts: ["", "a", "\u0000", "ä\u{1f600}", "x".repeat(10_000)],
    refuses: wrong(0, 1, true, null, ["a"], {}),
  },
  object: {
    accepts: [{}, { a: [1, null], constructor: {}, "": "" }],
    refuses: NO_OBJECTS,
  },
  CheckStatus: {
    accepts: ["passed", "failed", "skipped"],
    refuses: wrong("", "Passed", "passed ", "error", 0, true, null, ["passed"], {}),
  },
  IssueSeverity: {
    accepts: ["debug", "info", "warning", "critical"],
    refuses: wrong("", "error", "WARNING", "warn", 0, true, null, ["info"], {}),
  },
  URI: {
    accepts: [
      "a:",
      "https://opensource.org/license/mit?a=b&c=%C3%A4#d/e?f",
      "urn:isbn:0451450523",
      "mailto:a@b.example",
      "HTTPS://u:p@[2001:db8::1]:8080/a",
      MAX_LENGTH_URI,
    ],
    refuses: wrong(
      "",
      `${MAX_LENGTH_URI}b`,
      "opensource.org",
      "//a.example/b",
      "1a:b",
      ":b",
      "http://a b",
      "http://a/%zz",
      "http://a/%a",
      "http://a#b#c",
      "http://a/[b]",
      "http://[::1/b",
      "http://[::1]b",
      "http://ä.example",
      "http://a\n",
      'http://a"',
      "a:\\b",
      1,
      true,
      null,
      ["a:b"],
      {},
    ),
  },
};

function listValues({ accepts, refuses }: Values): Values {
  return {
    accepts: [[], [...accepts], [...accepts, ...accepts]],
    refuses: [
      ...wrong({}, { length: 0 }, "[]", 1, true, null),
      ...refuses.map((
        [value, path],
      ): Refused => [[...accepts, value], `[${accepts.length}]${path}`]),
    ],
  };
}

function mapValues({ accepts, refuses }: Values): Values {
  const keys = ["a/b.bin", "constructor", "", "x"];
  return {
    accepts: [{}, ...accepts.map((value) => Object.fromEntries(keys.map((key) => [key, value])))],
    refuses: [
      ...wrong([], "{}", 1, true, null),
      ...refuses.map(([value, path]): Refused => [{ "a/b.bin": value }, `["a/b.bin"]${path}`]),
    ],
  };
}

function hexValues(length: number): Values {
  const digits = "0123456789abcdefABCDEF".repeat(6).slice(0, length);
  return {
    accepts: [digits, digits.toUpperCase(), digits.toLowerCase()],
    refuses: wrong(
      "",
      digits.slice(1),
      `${digits}0`,
      `${digits.slice(1)}g`,
      `${digits}\n`,
      ` ${digits.slice(1)}`,
      `0x${digits.slice(2)}`,
      Number("1".repeat(length)),
      true,
      null,
      [digits],
      {},
    ),
  };
}
