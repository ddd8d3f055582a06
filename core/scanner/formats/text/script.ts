import { fileNameOf } from "../../contract/names.ts";
import type { RuleCode } from "../../contract/rules.ts";

/** The kind of a script. */
export interface Script {
  readonly language: string;
  readonly ruleCode: RuleCode;
  /** Whether the extension is that of something else than a script or a text. */
  readonly disguised: boolean;
}

type Language = Omit<Script, "disguised">;

const SHELL: Language = { language: "shell", ruleCode: "S504" };
const BATCH: Language = { language: "batch", ruleCode: "S505" };
const POWERSHELL: Language = { language: "PowerShell", ruleCode: "S506" };
const PYTHON: Language = { language: "Python", ruleCode: "S507" };
const JAVASCRIPT: Language = { language: "JavaScript", ruleCode: "S508" };
const LUA: Language = { language: "Lua", ruleCode: "S504" };
const RUBY: Language = { language: "Ruby", ruleCode: "S504" };
const PHP: Language = { language: "PHP", ruleCode: "S504" };
const R: Language = { language: "R", ruleCode: "S504" };
const PERL: Language = { language: "Perl", ruleCode: "S504" };
const JULIA: Language = { language: "Julia", ruleCode: "S504" };
const VBSCRIPT: Language = { language: "VBScript", ruleCode: "S504" };
const OTHER: Language = { language: "an interpreter", ruleCode: "S504" };

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ["sh", SHELL],
  ["bash", SHELL],
  ["zsh", SHELL],
  ["bats", SHELL],
  ["fish", SHELL],
  ["ksh", SHELL],
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
  ["lua", LUA],
  ["rb", RUBY],
  ["php", PHP],
  ["r", R],
  ["pl", PERL],
  ["pm", PERL],
  ["jl", JULIA],
  ["vbs", VBSCRIPT],
]);

const INTERPRETERS: readonly (readonly [RegExp, Language])[] = [
  [/^(?:ba|z|da|k|c|tc|fi|a)?sh$/, SHELL],
  [/^(?:python|pypy)[\d.]*$/, PYTHON],
  [/^(?:node|nodejs|deno|bun)$/, JAVASCRIPT],
  [/^(?:pwsh|powershell)$/, POWERSHELL],
  [/^(?:lua|luajit|th)[\d.]*$/, LUA],
  [/^ruby[\d.]*$/, RUBY],
  [/^php[\d.]*$/, PHP],
  [/^(?:Rscript|littler)$/, R],
  [/^perl[\d.]*$/, PERL],
  [/^julia$/, JULIA],
];

/**
 * Recognizes a script by its first line, its first statement or its name.
 *
 * @param head The beginning of the text.
 */
export function detectScript(name: string, head: string): Script | undefined {
  const base = fileNameOf(name);
  const extension = base.includes(".") ? base.slice(base.lastIndexOf(".") + 1).toLowerCase() : "";
  const named = LANGUAGES.get(extension);
  const written = byShebang(head) ?? byFirstStatement(head, extension);
  const language = written ?? named;
  if (language === undefined) return undefined;
  const expected = named !== undefined || extension === "" || isTextExtension(extension);
  return { ...language, disguised: !expected };
}

/** Whether a script is unsurprising under the extension: those of texts and of further languages. */
function isTextExtension(extension: string): boolean {
  return /^(?:txt|md|markdown|rst|in|tpl|tmpl|template|sample|command|pl|rb|php|lua|r|jinja2?|j2|mako|tt|erb|ejs|hbs|mustache)$/
    .test(
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
  if (isTextExtension(extension)) return undefined;
  const isPython =
    /^(?:[ \t]*(?:#[^\n]*|\r)?\n){0,50}(?:import [A-Za-z_][\w.]*(?: as \w+)?[ \t]*(?:[,;#\r\n]|$)|from [A-Za-z_.][\w.]* import )/
      .test(head);
  return isPython ? PYTHON : undefined;
}
