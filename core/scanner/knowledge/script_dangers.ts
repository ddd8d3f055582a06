import type { RuleCode } from "../contract/rules.ts";
import { runsDownload } from "./links.ts";
import { STARTS_IN } from "./other_languages.ts";
import { decoderNames, ofDangers, qualifiedNames } from "./python/python_code.ts";

/** Something that scripts of honest authors rarely do. */
export interface ScriptDanger {
  readonly message: string;
  readonly ruleCode: RuleCode;
  /** Index of its first character in the text. */
  readonly position: number;
}

/** Modules that exist to start programs. */
const PROCESSES = "(?:subprocess|pexpect|pty|commands)";

interface DangerPattern {
  readonly message: string;
  readonly ruleCode: RuleCode;
  readonly pattern: RegExp;
}

/** What Python, JavaScript and shells do. */
const DANGERS: readonly DangerPattern[] = [
  {
    message: "Code is decoded and run",
    ruleCode: "S601",
    pattern: new RegExp(
      String.raw`\b(?:exec|eval)\s{0,4}\([^\n]{0,120}\b(?:${decoderNames()}|marshal\.loads|atob)\b`,
    ),
  },
  {
    message: "A shell is connected to a socket",
    ruleCode: "S301",
    pattern: /\bos\.dup2\s{0,4}\([^\n]{0,60}fileno|\bnc(?:at)?\s[^\n|]{0,80}-(?:e|c)\s{1,4}\/?\w/,
  },
  {
    message: "The script starts a program",
    ruleCode: "S101",
    pattern: new RegExp(
      String.raw`\b${qualifiedNames(ofDangers("shell", "process"))}\s{0,4}\(` +
        String.raw`|\b${PROCESSES}\.\w{1,40}\s{0,4}\(` +
        String.raw`|\bfrom\s{1,4}${PROCESSES}\s{1,4}import\b` +
        String.raw`|\bimport\s{1,4}${PROCESSES}\s{1,4}as\b` +
        String.raw`|\bimport_module\s{0,4}\(\s{0,4}["'](?:os|posix|nt|${PROCESSES})["']` +
        String.raw`|\bfrom\s{1,4}os\s{1,4}import\s[^\n]{0,120}\b(?:system|popen|exec[lv]p?e?)\b` +
        String.raw`|\brequire\(["'](?:node:)?child_process["']\)`,
    ),
  },
  {
    message: "What starts a program gets another name",
    ruleCode: "S101",
    pattern: new RegExp(
      String.raw`=[ \t]{0,4}${qualifiedNames(ofDangers("shell"))}[ \t]{0,4}(?:$|[#;\r\n])`,
    ),
  },
  {
    message: "Code that is made when the script runs is run",
    ruleCode: "S104",
    pattern:
      /(?<![\w.])(?:exec|eval|execfile)\s{0,4}\(|\b(?:builtins|__builtins__)\.(?:exec|eval)\b|\bmarshal\.loads\s{0,4}\(/,
  },
  {
    message: "What Python has built in is looked up by a name that is made",
    ruleCode: "S104",
    pattern:
      /\)\s{0,4}\[\s{0,4}["']__builtins__["']|\b(?:builtins|__builtins__)(?:\.__dict__)?\s{0,4}\[|\bsys\.modules\s{0,4}\[\s{0,4}["'](?:os|posix|nt|subprocess|builtins|ctypes)["']\s{0,4}\]\s{0,4}\./,
  },
  {
    message: "All classes of the interpreter are searched",
    ruleCode: "S104",
    pattern: /(?<![\w)\]"'])(?:\(\s{0,4}\)|\[\s{0,4}\]|""|'')\s{0,4}\.\s{0,4}__class__\b/,
  },
  {
    message: "A module is imported by a call of __import__",
    ruleCode: "S106",
    pattern: /(?<![\w.])__import__\s{0,4}\(|\bimport_module\s{1,4}as\b/,
  },
  {
    message: "Machine code is loaded and called",
    ruleCode: "S110",
    pattern: /\bctypes\.(?:CDLL|PyDLL|cdll|windll|WinDLL|pythonapi)\b/,
  },
];

/** What scripts in any language have a shell do. */
const OF_SHELLS: readonly DangerPattern[] = [
  {
    message: "Decoded text is passed to a shell",
    ruleCode: "S601",
    pattern: /\bbase64\s{1,4}(?:-d|-D|--decode)\b[^\n]{0,80}\|\s{0,4}(?:sudo\s)?(?:ba|z|da)?sh\b/,
  },
  {
    message: "The directory of a user is removed",
    ruleCode: "S504",
    pattern:
      /\brm\s{1,4}-[A-Za-z]{0,6}[rR][A-Za-z]{0,6}\s{1,4}["']?(?:\/(?=[\s*"']|$)|~|\$\{?HOME\b)/m,
  },
  {
    message: "What runs at a login or at a time is changed",
    ruleCode: "S504",
    pattern:
      /(?:>|\btee\s{1,4}-a\s|\btee\s)\s{0,4}["']?(?:~|\$\{?HOME\}?|\/root|\/home\/[\w.-]{1,40})\/\.(?:bashrc|bash_profile|zshrc|profile|ssh\/authorized_keys)\b|\bcrontab\s{1,4}-(?!l)|>\s{0,4}\/etc\/(?:cron|rc\.local|profile|systemd)/,
  },
];

const ALIASES = /\bimport\s{1,4}(?:os|posix|nt)\s{1,4}as\s{1,4}(\w{1,40})/g;
const STARTS = /\b(\w{1,40})\.(?:system|popen|exec[lv]p?e?|spawn[lv]p?e?)\s{0,4}\(/g;

/** Where a program is started by another name of the module `os`; undefined if that is nowhere. */
function startByAlias(text: string): number | undefined {
  const aliases = new Set(text.matchAll(ALIASES).map(([, alias]) => alias));
  return aliases.size === 0
    ? undefined
    : text.matchAll(STARTS).find(([, name]) => aliases.has(name))?.index;
}

const ENCODING = /coding[:=][ \t]{0,4}(?:u7|utf[-_]?7|(?:raw[-_])?unicode[-_]escape|rot[-_]?13)\b/i;

/** Whether one of the first two lines names an encoding that makes other text of a script. */
function isEncoded(text: string): boolean {
  const lines = text.slice(0, MAX_HEAD_CHARS).split("\n", 2);
  return lines.some((line) => line.trimStart().startsWith("#") && ENCODING.test(line));
}

const MAX_HEAD_CHARS = 1000;

const FULL_WIDTH = /[\w\uff21-\uff3a\uff41-\uff5a]{1,40}/g;
const HIDDEN_NAMES = /^(?:exec|eval|compile|import|getattr|system|popen|subprocess)$/;

/** Where Python reads a name that is written in other letters; undefined if that is nowhere. */
function nameInOtherLetters(text: string): number | undefined {
  return text.matchAll(FULL_WIDTH).find(([word]) =>
    /[^\w]/.test(word) && HIDDEN_NAMES.test(word.normalize("NFKC"))
  )?.index;
}

/**
 * Finds what a script does that honest ones rarely do, each kind once, and one kind at a position.
 *
 * @param language The name of its language, if that is known.
 */
export function* scriptDangers(
  text: string,
  language = "",
): Generator<ScriptDanger, void, void> {
  const starts = STARTS_IN.get(language);
  if (starts !== undefined) {
    const start = { message: "The script starts a program or runs text", pattern: starts };
    yield* matches(text, [{ ...start, ruleCode: "S101" }, ...OF_SHELLS]);
  } else yield* knownDangers(text);
  if (runsDownload(text)) {
    yield { message: "A download is run", ruleCode: "S302", position: 0 };
  }
}

function* knownDangers(text: string): Generator<ScriptDanger, void, void> {
  const found = [...matches(text, [...DANGERS, ...OF_SHELLS])];
  yield* found;
  const start = startByAlias(text);
  if (start !== undefined && !found.some(({ position }) => position === start)) {
    yield { message: "The script starts a program", ruleCode: "S101", position: start };
  }
  if (isEncoded(text)) {
    const message = "The text of the script is decoded before Python reads it";
    yield { message, ruleCode: "S601", position: 0 };
  }
  const hidden = nameInOtherLetters(text);
  if (hidden !== undefined) {
    const message = "A name is written in letters that hide it";
    yield { message, ruleCode: "S104", position: hidden };
  }
}

function* matches(
  text: string,
  dangers: readonly DangerPattern[],
): Generator<ScriptDanger, void, void> {
  const found = new Set<number>();
  for (const { message, ruleCode, pattern } of dangers) {
    const match = pattern.exec(text);
    if (match === null || found.has(match.index)) continue;
    found.add(match.index);
    yield { message, ruleCode, position: match.index };
  }
}
