import type { RuleCode } from "../contract/rules.ts";

/** Something in a text that has no place in the metadata of a model. */
export interface SuspiciousText {
  readonly kind: "code" | "markup" | "path" | "credential";
  /** What it is, such as `a call of os.system`; never the text itself. */
  readonly what: string;
  readonly severity: "warning" | "critical";
  readonly ruleCode: RuleCode;
}

interface Pattern extends SuspiciousText {
  readonly pattern: RegExp;
}

// Each pattern begins with a literal or a single character, and repeats nothing without a bound, so
// that its time is in proportion to the text.
const PATTERNS: readonly Pattern[] = [
  code("a call of eval, exec or __import__", "S104", /(?<![\w.])(?:eval|exec|__import__)\(/),
  code("a call of compile", "S105", /(?<![\w.])compile\(\s{0,9}['"]/),
  code("a call of os", "S101", /\b(?:os|posix|nt)\.(?:system|popen|exec[lv]p?e?|spawn\w{1,4})\(/),
  code("a call of subprocess", "S103", /\b(?:subprocess|commands)\.\w{1,20}\(|\bpty\.spawn\(/),
  code("a call of importlib", "S107", /\b(?:importlib\.import_module|runpy\.run_\w{1,9})\(/),
  code("the loading of a pickle", "S213", /\b(?:c?pickle|_pickle|dill|marshal)\.loads?\(/i),
  code("a call of a decoder", "S601", /\b(?:base64\.\w?\d{2}decode|codecs\.decode)\(/),
  code("a dunder chain", "S104", /\.__(?:class|subclasses|globals|builtins|mro|bases?)__\b/),
  code("a shell command", "S504", /\b(?:curl|wget)\s[^|\n]{1,300}\|\s{0,9}(?:ba|z|da)?sh\b/),
  code("a PowerShell command", "S506", /\bpowershell(?:\.exe)?\s{1,9}-e(?:nc\w{0,12})?\s/i),
  code("escaped bytes", "S602", /(?:\\x[0-9a-fA-F]{2}){8}/),
  markup("a script element", /<(?:script|iframe|object|embed)[\s>/]/i),
  markup("a script URL", /(?<!\w)(?:javascript|vbscript):\s{0,9}[\w(]/i),
  markup("an event handler", /<\w{1,20}\s[^<>]{0,300}\bon(?:error|load|click|mouseover)\s{0,9}=/i),
  path("a path that leads upwards", "S405", /(?<![\w.])\.\.[\\/]+\.\.[\\/]/),
  path("an encoded path that leads upwards", "S405", /(?:%2e|\.){2}(?:%2f|%5c)/i),
  path("a system file", "S408", /(?<![\w.])\/(?:etc\/(?:passwd|shadow|sudoers|cron)|proc\/self)\b/),
  path("a system file", "S408", /\b[a-z]:[\\/]{1,2}windows[\\/]{1,2}system32\b/i),
  path("a place of keys", "S408", /(?:~|\/root|\/home\/[\w.-]{1,64})\/\.(?:ssh|aws|gnupg)\b/),
  secret("a private key", "S703", /-----BEGIN (?:[A-Z]{2,9} )?PRIVATE KEY-----/),
  secret("a key of AWS", "S704", /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/),
  secret("an API key", "S701", /\b(?:hf_[A-Za-z]{34}|sk-(?:proj-|ant-)?[\w-]{32,200})\b/),
  secret("an API key", "S701", /\b(?:AIza[\w-]{35}|xox[abprs]-[\w-]{10,200})\b/),
  secret("an OAuth token", "S708", /\b(?:gh[oprsu]_[A-Za-z0-9]{36}|github_pat_\w{22,200})\b/),
  secret("a JWT", "S707", /\beyJ[\w-]{10,200}\.eyJ[\w-]{10,4000}\.[\w-]{10,}/),
  secret(
    "a database URL",
    "S706",
    /\b(?:postgres(?:ql)?|mysql|mongodb|redis):\/\/[^\s:@/]{1,64}:[^\s@/]{1,64}@/,
  ),
  secret(
    "a password",
    "S702",
    /\b(?:password|passwd|pwd)["']?\s{0,3}[=:]\s{0,3}["'][^\s"']{8,64}["']/i,
  ),
];

/**
 * What in a text is code, markup that runs, a path to what is none of the model's, or a credential:
 * one of a sort. Takes time in proportion to the text, which the caller bounds. Prose that talks of such things has none, unless it spells them out.
 */
export function findSuspiciousText(text: string): SuspiciousText[] {
  return PATTERNS.filter(({ pattern }) => pattern.test(text)).map(
    ({ kind, what, severity, ruleCode }) => ({ kind, what, severity, ruleCode }),
  );
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

function secret(what: string, ruleCode: RuleCode, pattern: RegExp): Pattern {
  return { kind: "credential", what, severity: "critical", ruleCode, pattern };
}
