import type { RuleCode } from "../contract/rules.ts";
import { runsDownload } from "./links.ts";
import { decoderNames, ofDangers, qualifiedNames } from "./python/python_code.ts";

/** Something that scripts of honest authors rarely do. */
export interface ScriptDanger {
  readonly message: string;
  readonly ruleCode: RuleCode;
  /** Index of its first character in the text. */
  readonly position: number;
}

const DANGERS: readonly { message: string; ruleCode: RuleCode; pattern: RegExp }[] = [
  {
    message: "Code is decoded and run",
    ruleCode: "S601",
    pattern: new RegExp(
      String.raw`\b(?:exec|eval)\s{0,4}\([^\n]{0,120}\b(?:${decoderNames()}|marshal\.loads|atob)\b`,
    ),
  },
  {
    message: "Decoded text is passed to a shell",
    ruleCode: "S601",
    pattern: /\bbase64\s{1,4}(?:-d|-D|--decode)\b[^\n]{0,80}\|\s{0,4}(?:sudo\s)?(?:ba|z|da)?sh\b/,
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
      String.raw`\b${qualifiedNames(ofDangers("shell"))}\s{0,4}\(` +
        String.raw`|\brequire\(["'](?:node:)?child_process["']\)`,
    ),
  },
];

/** Finds what a script does that honest ones rarely do, each kind once. */
export function* scriptDangers(text: string): Generator<ScriptDanger, void, void> {
  for (const { message, ruleCode, pattern } of DANGERS) {
    const match = pattern.exec(text);
    if (match !== null) yield { message, ruleCode, position: match.index };
  }
  if (runsDownload(text)) {
    yield { message: "A download is run", ruleCode: "S302", position: 0 };
  }
}
