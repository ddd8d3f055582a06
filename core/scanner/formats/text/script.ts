import type { RuleCode } from "../../contract/rules.ts";

/** What a text is a script of. */
export interface Script {
  readonly language: string;
  readonly ruleCode: RuleCode;
  /** Whether neither its name nor the lack of an extension lets anybody expect a script. */
  readonly disguised: boolean;
}

type Language = Omit<Script, "disguised">;

const SHELL: Language = { language: "shell", ruleCode: "S504" };
const BATCH: Language = { language: "batch", ruleCode: "S505" };
const POWERSHELL: Language = { language: "PowerShell", ruleCode: "S506" };
const PYTHON: Language = { language: "Python", ruleCode: "S507" };
const JAVASCRIPT: Language = { language: "JavaScript", ruleCode: "S508" };
const OTHER: Language = { language: "an interpreter", ruleCode: "S504" };

const EXTENSIONS: ReadonlyMap<string, Language> = new Map([
  ["sh", SHELL],
  ["bash", SHELL],
  ["zsh", SHELL],
  ["bat", BATCH],
  ["cmd", BATCH],
  ["ps1", POWERSHELL],
  ["psm1", POWERSHELL],
  ["py", PYTHON],
  ["pyw", PYTHON],
  ["pyi", PYTHON],
  ["js", JAVASCRIPT],
  ["mjs", JAVASCRIPT],
  ["cjs", JAVASCRIPT],
]);

const INTERPRETERS: readonly (readonly [RegExp, Language])[] = [
  [/^(?:ba|z|da|k|c|tc|fi|a)?sh$/, SHELL],
  [/^(?:python|pypy)[\d.]*$/, PYTHON],
  [/^(?:node|nodejs|deno|bun)$/, JAVASCRIPT],
  [/^(?:pwsh|powershell)$/, POWERSHELL],
];

/** The script that a text is, by its first line or its name; `head` is its beginning. */
export function detectScript(name: string, head: string): Script | undefined {
  const base = name.slice(Math.max(name.lastIndexOf("/"), name.lastIndexOf("\\")) + 1);
  const extension = base.includes(".") ? base.slice(base.lastIndexOf(".") + 1).toLowerCase() : "";
  const named = EXTENSIONS.get(extension);
  const written = byShebang(head) ?? byFirstStatement(head, extension);
  const language = written ?? named;
  if (language === undefined) return undefined;
  const expected = named !== undefined || extension === "" || isText(extension);
  return { ...language, disguised: !expected };
}

/** Extensions of texts that a script may be shown in. */
function isText(extension: string): boolean {
  return /^(?:txt|md|markdown|rst|in|tpl|tmpl|template|sample|command|pl|rb|php|lua|r)$/.test(
    extension,
  );
}

function byShebang(head: string): Language | undefined {
  const match = /^#![ \t]{0,8}(\/[^\s]{1,200})(?:[ \t]{1,8}([^\r\n]{1,200}))?/.exec(head);
  if (match === null) return undefined;
  const [, path = "", rest = ""] = match;
  const command = path.slice(path.lastIndexOf("/") + 1);
  const run = command === "env"
    ? rest.split(/\s+/).find((word) => !/^-|=/.test(word)) ?? ""
    : command;
  const base = run.slice(run.lastIndexOf("/") + 1);
  return INTERPRETERS.find(([name]) => name.test(base))?.[1] ?? OTHER;
}

function byFirstStatement(head: string, extension: string): Language | undefined {
  if (/^@echo[ \t]{1,8}off\b/i.test(head)) return BATCH;
  if (isText(extension)) return undefined;
  const isPython =
    /^(?:[ \t]*(?:#[^\n]*)?\r?\n){0,50}(?:import [A-Za-z_][\w.]*(?: as \w+)?[ \t]*(?:[,;#\r\n]|$)|from [A-Za-z_.][\w.]* import )/
      .test(head);
  return isPython ? PYTHON : undefined;
}
