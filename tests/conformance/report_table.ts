/**
 * The fields of a report in SR, one per row: rule, record, field, type as in SR, and `required`, the
 * default as JSON, or `-` if there is no default (C 16: the default of a list or map is empty, unless
 * it may be null).
 */
export const FIELDS = String.raw`
SR 2.1 | Report | bytes_scanned | integer | required
SR 2.1 | Report | files_scanned | integer | required
SR 2.1 | Report | has_errors | boolean | required
SR 2.1 | Report | start_time | number | required
SR 2.1 | Report | duration | number | required
SR 2.1 | Report | total_checks | integer | required
SR 2.1 | Report | passed_checks | integer | required
SR 2.1 | Report | failed_checks | integer | required
SR 2.1 | Report | issues | array of Issue | []
SR 2.1 | Report | checks | array of Check | []
SR 2.1 | Report | assets | array of Asset | []
SR 2.1 | Report | scanner_names | array of string | []
SR 2.1 | Report | scanner_selection | object or null | null
SR 2.1 | Report | file_metadata | map of FileMetadata | {}
SR 2.1 | Report | content_hash | string or null | null
SR 2.1 | Report | success | boolean | true
SR 2.2 | Asset | path | string | required
SR 2.2 | Asset | type | string | required
SR 2.2 | Asset | size | integer or null | -
SR 2.2 | Asset | is_streamed | boolean or null | -
SR 2.2 | Asset | tensors | array of string or null | -
SR 2.2 | Asset | keys | array of string or null | -
SR 2.2 | Asset | contents | array of object or null | -
SR 2.3 | Check | name | string | required
SR 2.3 | Check | status | CheckStatus | required
SR 2.3 | Check | message | string | required
SR 2.3 | Check | severity | IssueSeverity or null | null
SR 2.3 | Check | location | string or null | null
SR 2.3 | Check | details | object | {}
SR 2.3 | Check | why | string or null | null
SR 2.3 | Check | rule_code | string or null | null
SR 2.3 | Check | timestamp | number | -
SR 2.4 | Issue | message | string | required
SR 2.4 | Issue | severity | IssueSeverity | "warning"
SR 2.4 | Issue | location | string or null | null
SR 2.4 | Issue | details | object | {}
SR 2.4 | Issue | why | string or null | null
SR 2.4 | Issue | timestamp | number | -
SR 2.4 | Issue | type | string or null | null
SR 2.4 | Issue | rule_code | string or null | null
SR 2.5 | FileMetadata | file_size | integer >= 0 or null | null
SR 2.5 | FileMetadata | file_hashes | FileHashes or null | null
SR 2.5 | FileMetadata | member_file_hashes | map of MemberFileIntegrity | {}
SR 2.5 | FileMetadata | member_file_hashes_total | integer >= 0 or null | null
SR 2.5 | FileMetadata | member_file_hashes_truncated | boolean or null | null
SR 2.5 | FileMetadata | member_file_hashes_omitted | integer >= 0 or null | null
SR 2.5 | FileMetadata | max_stack_depth | integer >= 0 or null | null
SR 2.5 | FileMetadata | opcode_count | integer >= 0 or null | null
SR 2.5 | FileMetadata | suspicious_count | integer >= 0 or null | null
SR 2.5 | FileMetadata | ml_context | MLContext or null | null
SR 2.5 | FileMetadata | license | string or null | null
SR 2.5 | FileMetadata | license_info | array of LicenseInfo | []
SR 2.5 | FileMetadata | copyright_notices | array of CopyrightNotice | []
SR 2.5 | FileMetadata | license_files_nearby | array of string | []
SR 2.5 | FileMetadata | is_dataset | boolean or null | null
SR 2.5 | FileMetadata | is_model | boolean or null | null
SR 2.5 | FileMetadata | risk_score | number 0 to 1 | 0
SR 2.5 | FileMetadata | scan_timestamp | number | -
SR 2.6 | FileHashes | md5 | 32 hex or null | null
SR 2.6 | FileHashes | sha1 | 40 hex or null | null
SR 2.6 | FileHashes | sha256 | 64 hex or null | null
SR 2.6 | FileHashes | sha256_prefix | 64 hex or null | null
SR 2.6 | FileHashes | sha512 | 128 hex or null | null
SR 2.7 | MemberFileIntegrity | file_hashes | FileHashes or null | null
SR 2.7 | MemberFileIntegrity | file_size | integer >= 0 or null | null
SR 2.7 | MemberFileIntegrity | bytes_hashed | integer >= 0 or null | null
SR 2.7 | MemberFileIntegrity | hash_complete | boolean or null | null
SR 2.7 | MemberFileIntegrity | hash_status | string or null | null
SR 2.7 | MemberFileIntegrity | sha256_prefix | 64 hex or null | null
SR 2.7 | MemberFileIntegrity | scanner_name | string or null | null
SR 2.7 | MemberFileIntegrity | logical_path | string or null | null
SR 2.7 | MemberFileIntegrity | path_segments | array of string | []
SR 2.7 | MemberFileIntegrity | occurrence | integer >= 1 or null | null
SR 2.8 | MLContext | frameworks | map of MLFrameworkInfo | {}
SR 2.8 | MLContext | overall_confidence | number 0 to 1 | 0
SR 2.8 | MLContext | is_ml_content | boolean | false
SR 2.8 | MLContext | detected_patterns | array of string | []
SR 2.8 | MLContext | weight_analysis | WeightAnalysis or null | null
SR 2.8 | MLContext | model_type | string or null | null
SR 2.8 | MLContext | layer_count_estimate | integer >= 0 or null | null
SR 2.8 | MLContext | parameter_count_estimate | integer >= 0 or null | null
SR 2.8 | MLContext | training_framework | string or null | null
SR 2.8 | MLContext | precision_type | string or null | null
SR 2.8 | MLContext | optimization_hints | array of string | []
SR 2.9 | MLFrameworkInfo | name | string or null | null
SR 2.9 | MLFrameworkInfo | version | string or null | null
SR 2.9 | MLFrameworkInfo | confidence | number 0 to 1 | 0
SR 2.9 | MLFrameworkInfo | indicators | array of string or null | -
SR 2.9 | MLFrameworkInfo | file_patterns | array of string or null | -
SR 2.10 | WeightAnalysis | appears_to_be_weights | boolean | false
SR 2.10 | WeightAnalysis | weight_confidence | number 0 to 1 | 0
SR 2.10 | WeightAnalysis | pattern_density | number 0 to 1 | 0
SR 2.10 | WeightAnalysis | float_ratio | number 0 to 1 | 0
SR 2.10 | WeightAnalysis | statistical_expectation | number 0 to 1 | 0
SR 2.10 | WeightAnalysis | file_size_factor | number 0 to 1 | 0
SR 2.11 | LicenseInfo | spdx_id | string or null | null
SR 2.11 | LicenseInfo | name | string or null | null
SR 2.11 | LicenseInfo | url | URI or null | null
SR 2.11 | LicenseInfo | text | string or null | null
SR 2.11 | LicenseInfo | confidence | number 0 to 1 | 0
SR 2.11 | LicenseInfo | source | string or null | null
SR 2.11 | LicenseInfo | commercial_allowed | boolean or null | null
SR 2.12 | CopyrightNotice | holder | string | required
SR 2.12 | CopyrightNotice | year | string or null | null
SR 2.12 | CopyrightNotice | text | string or null | null
SR 2.12 | CopyrightNotice | confidence | number 0 to 1 | 0
`;

/** The path of each record in {@link fullReport}, and whether it keeps undeclared properties (SR 1). */
export const RECORDS: Readonly<Record<string, { at: (string | number)[]; keeps: boolean }>> = {
  Report: { at: [], keeps: true },
  Asset: { at: ["assets", 0], keeps: false },
  Check: { at: ["checks", 0], keeps: true },
  Issue: { at: ["issues", 0], keeps: true },
  FileMetadata: { at: ["file_metadata", "m"], keeps: true },
  FileHashes: { at: ["file_metadata", "m", "file_hashes"], keeps: false },
  MemberFileIntegrity: { at: ["file_metadata", "m", "member_file_hashes", "a"], keeps: true },
  MLContext: { at: ["file_metadata", "m", "ml_context"], keeps: true },
  MLFrameworkInfo: { at: ["file_metadata", "m", "ml_context", "frameworks", "f"], keeps: false },
  WeightAnalysis: { at: ["file_metadata", "m", "ml_context", "weight_analysis"], keeps: false },
  LicenseInfo: { at: ["file_metadata", "m", "license_info", 0], keeps: false },
  CopyrightNotice: { at: ["file_metadata", "m", "copyright_notices", 0], keeps: false },
};

/** A report with every field, none of them null. */
export function fullReport() {
  return {
    bytes_scanned: 1024,
    files_scanned: 1,
    has_errors: false,
    start_time: 1763690583.25,
    duration: 0.5,
    total_checks: 2,
    passed_checks: 1,
    failed_checks: 1,
    issues: [issue()],
    checks: [check()],
    assets: [asset()],
    scanner_names: ["pickle"],
    scanner_selection: { enabled_scanner_ids: ["pickle"] },
    file_metadata: { m: fileMetadata() },
    content_hash: "a".repeat(64),
    success: true,
  };
}

function issue() {
  return {
    message: "Names os.system",
    severity: "critical",
    location: "m (pos 3)",
    details: { module: "os" },
    why: "It runs commands",
    timestamp: 1763690583.5,
    type: "pickle_check",
    rule_code: "S101",
  };
}

function check() {
  return {
    name: "Global",
    status: "failed",
    message: "Names os.system",
    severity: "critical",
    location: "m (pos 3)",
    details: { module: "os" },
    why: "It runs commands",
    rule_code: "S101",
    timestamp: 1763690583.5,
  };
}

function asset() {
  return {
    path: "m",
    type: "pickle",
    size: 1024,
    is_streamed: false,
    tensors: ["w"],
    keys: ["k"],
    contents: [{ name: "data.pkl" }],
  };
}

function fileMetadata() {
  return {
    file_size: 1024,
    file_hashes: hashes(),
    member_file_hashes: { a: member() },
    member_file_hashes_total: 1,
    member_file_hashes_truncated: false,
    member_file_hashes_omitted: 0,
    max_stack_depth: 4,
    opcode_count: 17,
    suspicious_count: 1,
    ml_context: mlContext(),
    license: "MIT",
    license_info: [license()],
    copyright_notices: [{ holder: "Jane Doe", year: "2026", text: "(c) Jane Doe", confidence: 1 }],
    license_files_nearby: ["LICENSE"],
    is_dataset: false,
    is_model: true,
    risk_score: 0.75,
    scan_timestamp: 1763690583.5,
  };
}

function hashes() {
  return {
    md5: "0".repeat(32),
    sha1: "1".repeat(40),
    sha256: "a".repeat(64),
    sha256_prefix: "B".repeat(64),
    sha512: "f".repeat(128),
  };
}

function member() {
  return {
    file_hashes: hashes(),
    file_size: 9,
    bytes_hashed: 9,
    hash_complete: true,
    hash_status: "complete",
    sha256_prefix: "c".repeat(64),
    scanner_name: "zip",
    logical_path: "a",
    path_segments: ["a"],
    occurrence: 1,
  };
}

function mlContext() {
  const framework = {
    name: "torch",
    version: "2",
    confidence: 0.5,
    indicators: ["torch._utils"],
    file_patterns: ["*.pt"],
  };
  const weights = {
    appears_to_be_weights: true,
    weight_confidence: 0.1,
    pattern_density: 0.2,
    float_ratio: 0.3,
    statistical_expectation: 0.4,
    file_size_factor: 0.5,
  };
  return {
    frameworks: { f: framework },
    overall_confidence: 0.5,
    is_ml_content: true,
    detected_patterns: ["tensor"],
    weight_analysis: weights,
    model_type: "cnn",
    layer_count_estimate: 3,
    parameter_count_estimate: 1000,
    training_framework: "torch",
    precision_type: "float32",
    optimization_hints: ["quantized"],
  };
}

function license() {
  return {
    spdx_id: "MIT",
    name: "MIT License",
    url: "https://opensource.org/license/mit",
    text: "Permission is granted",
    confidence: 0.9,
    source: "LICENSE",
    commercial_allowed: true,
  };
}
