import { fetchesAndRuns } from "./links.ts";
import type { RuleCode } from "../contract/rules.ts";

/** Something that a script does and that few honest ones do. */
export interface ScriptDanger {
  readonly message: string;
  readonly ruleCode: RuleCode;
  /** Where it begins in the text. */
  readonly position: number;
}

const DANGERS: readonly { message: string; ruleCode: RuleCode; pattern: RegExp }[] = [
  {
    message: "Code is decoded and run",
    ruleCode: "S601",
    pattern:
      /\b(?:exec|eval)\s{0,4}\([^\n]{0,120}\b(?:b64decode|b32decode|a85decode|decompress|unhexlify|fromhex|marshal\.loads|atob)\b/,
  },
  {
    message: "Decoded text is handed to a shell",
    ruleCode: "S601",
    pattern: /\bbase64\s{1,4}(?:-d|-D|--decode)\b[^\n]{0,80}\|\s{0,4}(?:sudo\s)?(?:ba|z|da)?sh\b/,
  },
  {
    message: "A shell is connected to a socket",
    ruleCode: "S301",
    pattern: /\bos\.dup2\s{0,4}\([^\n]{0,60}fileno|\bnc(?:at)?\s[^\n|]{0,80}-(?:e|c)\s{1,4}\/?\w/,
  },
  {
    message: "A program is started by the script",
    ruleCode: "S101",
    pattern:
      /\b(?:os\.system|os\.popen|pty\.spawn)\s{0,4}\(|\brequire\(["'](?:node:)?child_process["']\)/,
  },
];

/** What a text does as a script that few honest ones do; each kind once. */
export function* scriptDangers(text: string): Generator<ScriptDanger, void, void> {
  for (const { message, ruleCode, pattern } of DANGERS) {
    const match = pattern.exec(text);
    if (match !== null) yield { message, ruleCode, position: match.index };
  }
  if (fetchesAndRuns(text)) {
    yield { message: "Something is fetched and run", ruleCode: "S302", position: 0 };
  }
}
