import type { RuleCode } from "../contract/rules.ts";
import { CLASS_DUNDERS } from "./python/dunders.ts";
import { builtinNames, moduleNames, ofDangers, qualifiedNames } from "./python/python_code.ts";

/** Something in a text that does not belong in the metadata of a model. */
export interface SuspiciousText {
  readonly kind: "code" | "markup" | "path";
  /** What was found, such as `a call of os`, without text from the file. */
  readonly what: string;
  readonly severity: "warning" | "critical";
  readonly ruleCode: RuleCode;
}

interface Pattern extends SuspiciousText {
  readonly pattern: RegExp;
}

const runsPrograms = ofDangers("shell", "process");

const BUILTINS = builtinNames((entry) =>
  ofDangers("code", "import")(entry) && entry.alone.includes("import")
);
const OS_CALLS = qualifiedNames((entry) => runsPrograms(entry) && entry.rule === "S101");
const OTHER_PROCESS_CALLS = qualifiedNames((entry) =>
  runsPrograms(entry) && entry.rule === undefined
);
const PROCESS_MODULES = moduleNames(
  "part",
  (entry) => runsPrograms(entry) && entry.rule === "S103",
);
const BROWSER_MODULES = moduleNames("part", ({ rule }) => rule === "S109");
const IMPORT_CALLS = qualifiedNames((entry) =>
  ofDangers("code", "import")(entry) && entry.module !== "builtins"
);
const PICKLE_CALLS = qualifiedNames(ofDangers("deserialization"));
const DECODER_CALLS = qualifiedNames(ofDangers("concealment"));

// Each pattern begins with a literal or a single character, and every repetition is bounded, so that
// a search takes time in proportion to the text.
const PATTERNS: readonly Pattern[] = [
  code(
    "a call of eval, exec or __import__",
    "S104",
    call(String.raw`(?<![\w.])(?:builtins\.)?${BUILTINS}`),
  ),
  code("a call of compile", "S105", /(?<![\w.])compile\(\s{0,9}['"]/),
  code("a call of os", "S101", call(String.raw`\b${OS_CALLS}`)),
  code(
    "a call of subprocess",
    "S103",
    call(String.raw`\b(?:${PROCESS_MODULES}\.\w{1,20}|${OTHER_PROCESS_CALLS})`),
  ),
  code("a call of webbrowser", "S109", call(String.raw`\b${BROWSER_MODULES}\.\w{1,20}`)),
  code("a call of importlib", "S107", call(String.raw`\b${IMPORT_CALLS}`)),
  code("the loading of a pickle", "S213", call(String.raw`\b${PICKLE_CALLS}`, "i")),
  code("a call of a decoder", "S601", call(String.raw`\b${DECODER_CALLS}`)),
  code("a dunder chain", "S104", new RegExp(String.raw`\.__(?:${CLASS_DUNDERS.join("|")})__\b`)),
  code("a shell command", "S504", /\b(?:curl|wget)\s[^|\n]{1,300}\|\s{0,9}(?:ba|z|da)?sh\b/),
  code("a PowerShell command", "S506", /\bpowershell(?:\.exe)?\s{1,9}-e(?:nc\w{0,12})?\s/i),
  code("escaped bytes", "S602", /(?:\\x[0-9a-fA-F]{2}){8}/),
  markup("a script element", /<(?:script|iframe|object|embed)[\s>/]/i),
  markup("a script URL", /(?<!\w)(?:javascript|vbscript):\s{0,9}[\w(]/i),
  markup("an event handler", /<\w{1,20}\s[^<>]{0,300}\bon(?:error|load|click|mouseover)\s{0,9}=/i),
  path("a path with ..", "S405", /(?<![\w.])\.\.[\\/]+\.\.[\\/]/),
  path("an encoded path with ..", "S405", /(?:%2e|\.){2}(?:%2f|%5c)/i),
  path("a system file", "S408", /(?<![\w.])\/(?:etc\/(?:passwd|shadow|sudoers|cron)|proc\/self)\b/),
  path("a system file", "S408", /\b[a-z]:[\\/]{1,2}windows[\\/]{1,2}system32\b/i),
  path("a directory of keys", "S408", /(?:~|\/root|\/home\/[\w.-]{1,64})\/\.(?:ssh|aws|gnupg)\b/),
];

/**
 * Finds code, markup that runs, and paths that leave the model's directory, each kind once. Prose about
 * such things is not found unless it spells them out. Takes time in proportion to the text, whose
 * length the caller limits. Credentials are found by `secrets/find_secrets.ts`.
 */
export function findSuspiciousText(text: string): SuspiciousText[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(text)).map(
    ({ kind, what, severity, ruleCode }) => ({ kind, what, severity, ruleCode }),
  );
}

function call(callee: string, flags = ""): RegExp {
  return new RegExp(String.raw`${callee}\(`, flags);
}

function code(what: string, ruleCode: RuleCode, pattern: RegExp): Pattern {
  return { kind: "code", what, severity: "critical", ruleCode, pattern };
}

function markup(what: string, pattern: RegExp): Pattern {
  return { kind: "markup", what, severity: "critical", ruleCode: "S508", pattern };
}

function path(what: string, ruleCode: RuleCode, pattern: RegExp): Pattern {
  return { kind: "path", what, severity: "warning", ruleCode, pattern };
}
