import { printable } from "../../../schemas/printable.ts";
import type { Severity } from "../contract/severity.ts";

const COLORS: Readonly<Record<Severity, number>> = {
  critical: 31,
  warning: 33,
  info: 36,
  debug: 90,
};
const ESCAPE = "\x1b[";

/** Marks a text with its severity. */
export type Style = (severity: Severity, text: string) => string;

/** Returns a style that uses terminal colors, or leaves the text alone. */
export function styleOf(color: boolean): Style {
  return (severity, text) => color ? `${ESCAPE}1;${COLORS[severity]}m${text}${ESCAPE}0m` : text;
}

/** Wraps a text into lines of at most `width` columns, each starting with `indent`. Words are never split. */
export function indented(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of printable(text).split(" ")) {
    if (line !== "" && indent.length + line.length + 1 + word.length > width) {
      lines.push(indent + line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, indent + line];
}

/** A count with its noun, such as `1 file` or `1,200 files`. */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
