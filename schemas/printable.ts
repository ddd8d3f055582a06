/** Text of files, of other users and of servers, as it can be shown without doing or hiding anything. */

/**
 * Characters that control a terminal, change the direction of text, or show nothing. An emoji keeps the selector
 * of its color.
 */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?!(?<=\p{Extended_Pictographic})\ufe0f)\p{Default_Ignorable_Code_Point}/gu;
/** White space that only separates. */
const SPACES = new Set(["\t", "\n", "\r"]);

/** Escapes all that is not seen in a value, which so stays on its line. */
export function printable(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** Escapes what is not seen in a text, and leaves its lines. */
export function printableText(text: string): string {
  return text.replace(UNSEEN, (it) => SPACES.has(it) ? it : escaped(it));
}

function escaped(character: string): string {
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** What runners of CI read as the begin of a command, anywhere in what a step prints: `##[` and `##vso[`. */
const COMMAND = /##([\w-]{0,99})\[/g;

/**
 * A line of output, or several, in which nothing is a command to a terminal or a runner of CI. Escapes are those
 * of JSON, so that a document in JSON keeps its meaning.
 */
export function inertLines(text: string): string {
  // Most text has nothing to escape. One search for all of this takes twice as long.
  if (!/[^\t\n -~]/.test(text) && !text.includes("##") && !text.includes("::")) return text;
  const seen = text
    .replace(UNSEEN, (it) => it === "\n" || it === "\t" ? it : jsonEscaped(it))
    .replace(COMMAND, (_, name: string) => `#${jsonEscaped("#")}${name}[`);
  return seen.includes("::") ? seen.split("\n").map(withoutCommand).join("\n") : seen;
}

/** A line that does not begin with `::`, as a command does. */
function withoutCommand(line: string): string {
  const at = line.length - line.trimStart().length;
  return line.startsWith("::", at)
    ? line.slice(0, at) + jsonEscaped(":") + line.slice(at + 1)
    : line;
}

function jsonEscaped(text: string): string {
  return Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`,
  ).join("");
}
