/** The options of a program that runs another program. */
interface Wrapper {
  /** The letters of options without a value. */
  readonly flags: string;
  /** The long names of options without a value. */
  readonly longFlags?: readonly string[];
  /** The letters of options with a value. */
  readonly valued?: string;
  /** The long names of options with a value. */
  readonly longValued?: readonly string[];
  /** The operand between the options and the command, if there is one. */
  readonly operand?: RegExp;
}

/** An unknown option makes the label `tool`: the next word might be its value. */
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
 * The label of a command line for logs: its program without arguments, which may contain credentials
 * (HC 8, C 14). A shell is `shell`; a command that cannot be parsed with certainty is `tool`.
 *
 * @example
 * ```ts
 * import { toolLogLabel } from "./label.ts";
 * toolLogLabel("TOKEN=s3cret timeout 30 /usr/bin/curl -u me:s3cret"); // "curl"
 * ```
 */
export function toolLogLabel(command: string): string {
  const words = splitWords(command);
  const index = programIndex(words);
  // A substitution contains words: a word after its beginning may be an argument in it.
  if (index === undefined || words.slice(0, index).some((word) => /`|[$<>]\(/.test(word))) {
    return UNKNOWN;
  }
  const name = baseName(words[index] ?? "");
  if (SHELLS.has(name)) return "shell";
  return /^[A-Za-z0-9_\-.+]+$/.test(name) ? name : UNKNOWN;
}

/** The index of the program among the words, or undefined if it is uncertain. */
function programIndex(words: readonly string[]): number | undefined {
  for (let index = 0; index < words.length;) {
    const word = words[index] ?? "";
    const wrapper = WRAPPERS.get(baseName(word));
    if (isAssignment(word)) index++;
    else if (wrapper === undefined) return index;
    else {
      const next = afterOptions(words, index + 1, wrapper);
      if (next === undefined) return undefined;
      if (wrapper.operand !== undefined && !wrapper.operand.test(words[next] ?? "")) {
        return undefined;
      }
      index = wrapper.operand === undefined ? next : next + 1;
    }
  }
  return undefined;
}

function baseName(word: string): string {
  return word.slice(word.lastIndexOf("/") + 1);
}

/** Splits into words as a shell does, without quotes. Returns no words if a quote is not closed. */
function splitWords(command: string): string[] {
  const word = /(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'[^']*')+/gs;
  if (command.replaceAll(word, "").trim() !== "") return [];
  return (command.match(word) ?? []).map((it) => it.replaceAll(/["']/g, ""));
}

function isAssignment(word: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*=/.test(word);
}

/** The index after the options that start at `index`, or undefined if an option is unknown. */
function afterOptions(
  words: readonly string[],
  index: number,
  wrapper: Wrapper,
): number | undefined {
  while (words[index]?.startsWith("-")) {
    const word = words[index] ?? "";
    if (word === "--") return index + 1;
    const count = word.startsWith("--")
      ? longOption(word.slice(2), wrapper)
      : shortOptions(word.slice(1), wrapper);
    if (count === undefined) return undefined;
    index += count;
  }
  return index;
}

/** The number of words of a long option with its value, or undefined if it is unknown. */
function longOption(option: string, { longFlags, longValued }: Wrapper): number | undefined {
  const [name = ""] = option.split("=", 1);
  const hasValue = name.length < option.length;
  if (longFlags?.includes(name)) return 1;
  if (longValued?.includes(name)) return hasValue ? 1 : 2;
  return undefined;
}

/** The number of words of grouped short options with their value, or undefined if one is unknown. */
function shortOptions(letters: string, { flags, valued = "" }: Wrapper): number | undefined {
  for (const [index, letter] of [...letters].entries()) {
    if (valued.includes(letter)) return index === letters.length - 1 ? 2 : 1;
    if (!flags.includes(letter)) return undefined;
  }
  return 1;
}
