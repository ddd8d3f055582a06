/**
 * An independent implementation of SR's rules, to compare with the program's schemas and the reports of
 * scans.
 */

type Rule = (value: unknown, path: string) => string[];
type Fields = Readonly<Record<string, Rule | { readonly required: Rule }>>;

/** Returns the paths at which a value violates SR, such as `issues[3].severity`. */
export function reportFaults(value: unknown): string[] {
  return record(REPORT)(value, "");
}

function holds(test: (value: unknown) => boolean): Rule {
  return (value, path) => test(value) ? [] : [path];
}

const isString = holds((value) => typeof value === "string");
const isBoolean = holds((value) => value === true || value === false);
const isNumber = holds((value) => typeof value === "number" && Math.abs(value) < Infinity);
const isInteger = between(-Infinity, Infinity, 1);
const isCount = between(0, Infinity, 1);
const isFraction = between(0, 1);

function between(min: number, max: number, step?: number): Rule {
  return holds((value) => {
    if (typeof value !== "number" || !(Math.abs(value) < Infinity)) return false;
    return value >= min && value <= max && (step === undefined || value % step === 0);
  });
}

function among(...words: string[]): Rule {
  return holds((value) => words.some((word) => word === value));
}

function isHex(length: number): Rule {
  return holds((value) =>
    typeof value === "string" && value.length === length &&
    [...value].every((digit) => "0123456789abcdefABCDEF".includes(digit))
  );
}

/** A URI (RFC 3986), split at its delimiters. */
const isUri = holds((value) => {
  if (typeof value !== "string" || value.length < 1 || value.length > 2083) return false;
  const colon = value.indexOf(":");
  if (!/^[a-z][a-z0-9+.-]*$/i.test(value.slice(0, Math.max(colon, 0)))) return false;
  const [rest = "", fragment = "", ...more] = value.slice(colon + 1).split("#");
  if (more.length > 0 || !hasUriCharacters(fragment)) return false;
  if (!rest.startsWith("//")) return hasUriCharacters(rest);
  const authority = rest.slice(2).split(/[/?]/, 1)[0] ?? "";
  const after = rest.slice(2 + authority.length);
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  const inBrackets = /^\[([0-9a-f:.]+)\](:\d*)?$/i.exec(host);
  if (inBrackets === null) return hasUriCharacters(authority) && hasUriCharacters(after);
  const user = authority.slice(0, Math.max(authority.length - host.length - 1, 0));
  return !/[@/?]/.test(user) && hasUriCharacters(user) && hasUriCharacters(after);
});

function hasUriCharacters(text: string): boolean {
  return /^[A-Za-z0-9._~!$&'()*+,;=:@/?-]*$/.test(text.replaceAll(/%[0-9a-f]{2}/gi, ""));
}

function orNull(rule: Rule): Rule {
  return (value, path) => value === null ? [] : rule(value, path);
}

function each(rule: Rule): Rule {
  return (value, path) =>
    Array.isArray(value) ? value.flatMap((item, index) => rule(item, `${path}[${index}]`)) : [path];
}

function map(rule: Rule): Rule {
  return (value, path) =>
    isMap(value)
      ? Object.keys(value).flatMap((key) => rule(value[key], path + stepTo(key, path)))
      : [path];
}

function stepTo(key: string, path: string): string {
  if (!/^[a-z_]\w*$/i.test(key)) return `[${JSON.stringify(key)}]`;
  return path === "" ? key : `.${key}`;
}

function record(fields: Fields): Rule {
  return (value, path) => {
    if (!isMap(value)) return [path];
    return Object.entries(fields).flatMap(([name, field]) => {
      const step = path + stepTo(name, path);
      const rule = typeof field === "function" ? field : field.required;
      if (Object.hasOwn(value, name)) return rule(value[name], step);
      return rule === field ? [] : [step];
    });
  };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]";
}

const isAnything: Rule = () => [];
const isObject = map(isAnything);
const severity = among("debug", "info", "warning", "critical");

const HASHES: Fields = {
  md5: orNull(isHex(32)),
  sha1: orNull(isHex(40)),
  sha256: orNull(isHex(64)),
  sha256_prefix: orNull(isHex(64)),
  sha512: orNull(isHex(128)),
};

const MEMBER: Fields = {
  file_hashes: orNull(record(HASHES)),
  file_size: orNull(isCount),
  bytes_hashed: orNull(isCount),
  hash_complete: orNull(isBoolean),
  hash_status: orNull(isString),
  sha256_prefix: orNull(isHex(64)),
  scanner_name: orNull(isString),
  logical_path: orNull(isString),
  path_segments: each(isString),
  occurrence: orNull(between(1, Infinity, 1)),
};

const FRAMEWORK: Fields = {
  name: orNull(isString),
  version: orNull(isString),
  confidence: isFraction,
  indicators: orNull(each(isString)),
  file_patterns: orNull(each(isString)),
};

const WEIGHTS: Fields = {
  appears_to_be_weights: isBoolean,
  weight_confidence: isFraction,
  pattern_density: isFraction,
  float_ratio: isFraction,
  statistical_expectation: isFraction,
  file_size_factor: isFraction,
};

const ML_CONTEXT: Fields = {
  frameworks: map(record(FRAMEWORK)),
  overall_confidence: isFraction,
  is_ml_content: isBoolean,
  detected_patterns: each(isString),
  weight_analysis: orNull(record(WEIGHTS)),
  model_type: orNull(isString),
  layer_count_estimate: orNull(isCount),
  parameter_count_estimate: orNull(isCount),
  training_framework: orNull(isString),
  precision_type: orNull(isString),
  optimization_hints: each(isString),
};

const LICENSE: Fields = {
  spdx_id: orNull(isString),
  name: orNull(isString),
  url: orNull(isUri),
  text: orNull(isString),
  confidence: isFraction,
  source: orNull(isString),
  commercial_allowed: orNull(isBoolean),
};

const COPYRIGHT: Fields = {
  holder: { required: isString },
  year: orNull(isString),
  text: orNull(isString),
  confidence: isFraction,
};

const METADATA: Fields = {
  file_size: orNull(isCount),
  file_hashes: orNull(record(HASHES)),
  member_file_hashes: map(record(MEMBER)),
  member_file_hashes_total: orNull(isCount),
  member_file_hashes_truncated: orNull(isBoolean),
  member_file_hashes_omitted: orNull(isCount),
  max_stack_depth: orNull(isCount),
  opcode_count: orNull(isCount),
  suspicious_count: orNull(isCount),
  ml_context: orNull(record(ML_CONTEXT)),
  license: orNull(isString),
  license_info: each(record(LICENSE)),
  copyright_notices: each(record(COPYRIGHT)),
  license_files_nearby: each(isString),
  is_dataset: orNull(isBoolean),
  is_model: orNull(isBoolean),
  risk_score: isFraction,
  scan_timestamp: isNumber,
};

const ASSET: Fields = {
  path: { required: isString },
  type: { required: isString },
  size: orNull(isInteger),
  is_streamed: orNull(isBoolean),
  tensors: orNull(each(isString)),
  keys: orNull(each(isString)),
  contents: orNull(each(isObject)),
};

const CHECK: Fields = {
  name: { required: isString },
  status: { required: among("passed", "failed", "skipped") },
  message: { required: isString },
  severity: orNull(severity),
  location: orNull(isString),
  details: isObject,
  why: orNull(isString),
  rule_code: orNull(isString),
  timestamp: isNumber,
};

const ISSUE: Fields = {
  message: { required: isString },
  severity,
  location: orNull(isString),
  details: isObject,
  why: orNull(isString),
  timestamp: isNumber,
  type: orNull(isString),
  rule_code: orNull(isString),
};

const REPORT: Fields = {
  bytes_scanned: { required: isInteger },
  files_scanned: { required: isInteger },
  has_errors: { required: isBoolean },
  start_time: { required: isNumber },
  duration: { required: isNumber },
  total_checks: { required: isInteger },
  passed_checks: { required: isInteger },
  failed_checks: { required: isInteger },
  issues: each(record(ISSUE)),
  checks: each(record(CHECK)),
  assets: each(record(ASSET)),
  scanner_names: each(isString),
  scanner_selection: orNull(isObject),
  file_metadata: map(record(METADATA)),
  content_hash: orNull(isString),
  success: isBoolean,
};
