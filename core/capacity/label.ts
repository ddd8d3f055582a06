/** The options of a program that starts another one. */
interface Wrapper {
  /** Options without a value: letters, and long names. */
  readonly flags: string;
  readonly longFlags?: readonly string[];
  /** Options with a value: letters, and long names. */
  readonly valued?: string;
  readonly longValued?: readonly string[];
  /** What the word between the options and the command looks like, where there is one. */
  readonly operand?: RegExp;
}

/** An option that is missing here makes the label `tool`: the word behind it might be its value. */
const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map([
  ["sudo", {
    flags: "AbBeEHikKlnNPsSvV",
    longFlags: [
      "askpass",
      "background",
      "bell",
      "edit",
      "login",
      "non-interactive",
      "preserve-env",
      "preserve-groups",
      "set-home",
      "shell",
      "stdin",
    ],
    valued: "CDghpRrtTuU",
    longValued: [
      "chdir",
      "chroot",
      "close-from",
      "command-timeout",
      "group",
      "host",
      "other-user",
      "prompt",
      "role",
      "type",
      "user",
    ],
  }],
  ["env", {
    flags: "i0v",
    longFlags: ["debug", "ignore-environment", "null"],
    valued: "uC",
    longValued: ["chdir", "unset"],
  }],
  ["command", { flags: "pvV" }],
  ["time", {
    flags: "apqv",
    longFlags: ["append", "portability", "quiet", "verbose"],
    valued: "fo",
    longValued: ["format", "output"],
  }],
  ["timeout", {
    flags: "fpv",
    longFlags: ["foreground", "preserve-status", "verbose"],
    valued: "ks",
    longValued: ["kill-after", "signal"],
    operand: /^\d+(\.\d+)?[smhd]?$/,
  }],
  ["nice", { flags: "0123456789", valued: "n", longValued: ["adjustment"] }],
  ["nohup", { flags: "" }],
]);

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh"]);

const UNKNOWN = "tool";

/**
 * What a command line is called in logs: its program and nothing else, for arguments may hold
 * credentials (HC 8, C 14). A shell is `shell`; what can't be told for sure is `tool`.
 *
 * @example
 * ```ts
 * import { toolLogLabel } from "./label.ts";
 * toolLogLabel("TOKEN=s3cret timeout 30 /usr/bin/curl -u me:s3cret"); // "curl"
 * ```
 */
export function toolLogLabel(command: string): string {
  const words = splitWords(command);
  const at = programAt(words);
  // A substitution has words of its own: what comes behind its beginning may be an argument in it.
  if (at === undefined || words.slice(0, at).some((word) => /`|[$<>]\(/.test(word))) return UNKNOWN;
  const name = baseName(words[at] ?? "");
  if (SHELLS.has(name)) return "shell";
  return /^[A-Za-z0-9_\-.+]+$/.test(name) ? name : UNKNOWN;
}

/** The place of the program among the words; undefined where it can't be told for sure. */
function programAt(words: readonly string[]): number | undefined {
  for (let at = 0; at < words.length;) {
    const word = words[at] ?? "";
    const wrapper = WRAPPERS.get(baseName(word));
    if (isAssignment(word)) at++;
    else if (wrapper === undefined) return at;
    else {
      const next = afterOptions(words, at + 1, wrapper);
      if (next === undefined) return undefined;
      if (wrapper.operand !== undefined && !wrapper.operand.test(words[next] ?? "")) {
        return undefined;
      }
      at = wrapper.operand === undefined ? next : next + 1;
    }
  }
  return undefined;
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Words as a shell sees them, without their quotes; none where a quote is not closed. */
function splitWords(command: string): string[] {
  const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  if (command.replaceAll(word, "").trim() !== "") return [];
  return (command.match(word) ?? []).map((it) => it.replaceAll(/["']/g, ""));
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*=/.test(word);
}

/** Where the options that begin at a word end; undefined where one of them is not known. */
function afterOptions(words: readonly string[], at: number, wrapper: Wrapper): number | undefined {
  while (words[at]?.startsWith("-")) {
    const word = words[at] ?? "";
    if (word === "--") return at + 1;
    const taken = word.startsWith("--")
      ? longOption(word.slice(2), wrapper)
      : shortOptions(word.slice(1), wrapper);
    if (taken === undefined) return undefined;
    at += taken;
  }
  return at;
}

/** How many words a long option takes with its value. */
function longOption(option: string, { longFlags, longValued }: Wrapper): number | undefined {
  const [name = ""] = option.split("=", 1);
  const hasValue = name.length < option.length;
  if (longFlags?.includes(name)) return 1;
  if (longValued?.includes(name)) return hasValue ? 1 : 2;
  return undefined;
}

/** How many words some short options take with the value of the last one. */
function shortOptions(letters: string, { flags, valued = "" }: Wrapper): number | undefined {
  for (const [at, letter] of [...letters].entries()) {
    if (valued.includes(letter)) return at === letters.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return undefined;
  }
  return 1;
}
