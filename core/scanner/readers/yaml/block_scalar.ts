import { CODES, isBlank, type YamlCursor } from "./cursor.ts";
import { type Scalar, ScalarText } from "./scalar_text.ts";

/** What the header of a block scalar says (YAML 1.2, 8.1.1). */
export interface BlockHeader {
  /** Whether line breaks are folded (`>`) or kept (`|`). */
  readonly folded: boolean;
  /** The sign for the line breaks at the end: `-` drops all, `+` keeps all, and none keeps one. */
  readonly chomping: string;
  /** The indentation relative to the collection around it; 0 if it is that of the first line. */
  readonly increment: number;
  readonly isMalformed: boolean;
}

/** Reads the indicators of a block scalar at its `|` or `>`. Moves to the comment or the end of the line. */
export function readBlockHeader(cursor: YamlCursor): BlockHeader {
  const written = cursor.text.slice(cursor.at, cursor.at + 4);
  const [all = "|", style, first = "", digit = "", last = ""] =
    /^([|>])([-+]?)([1-9]?)([-+]?)/.exec(written) ?? [];
  cursor.at += all.length;
  const isEnded = (first === "" || last === "") && cursor.isBlankOrEnd(cursor.at);
  cursor.at = cursor.blanksEnd(cursor.at);
  const isMalformed = !isEnded || !(cursor.isBreakOrEnd() || cursor.code() === CODES.hash);
  if (isMalformed) cursor.skipLine();
  return {
    folded: style === ">",
    chomping: first || last,
    increment: Number(digit),
    isMalformed,
  };
}

/** Reads the lines of block scalars, as PyYAML does. */
export class BlockScalarReader {
  readonly #cursor: YamlCursor;
  readonly #value: ScalarText;

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
    this.#value = new ScalarText(cursor);
  }

  /**
   * Reads the lines after a header.
   *
   * @param parent The column of the collection around the scalar, or -1.
   */
  read({ folded, chomping, increment }: BlockHeader, parent: number): Scalar {
    const cursor = this.#cursor;
    this.#value.clear();
    cursor.takeBreak();
    let blankLines = cursor.at;
    const indent = this.#takeIndentation(Math.max(parent + 1, 1), increment);
    let lastBreak = blankLines;
    while (cursor.column === indent && !cursor.isAtEnd) {
      this.#value.appendBreaks(blankLines, cursor.at);
      const isDeeper = isBlank(cursor.code());
      const begin = cursor.at;
      cursor.skipLine();
      this.#value.append(begin, cursor.at);
      lastBreak = cursor.at;
      cursor.takeBreak();
      blankLines = cursor.at;
      this.#skipBlankLines(indent);
      if (cursor.column !== indent || cursor.isAtEnd) break;
      const isFolded = folded && !isDeeper && !isBlank(cursor.code()) &&
        !cursor.isSeparator(lastBreak);
      if (!isFolded) this.#value.appendBreaks(lastBreak, blankLines);
      else if (cursor.lineStart === blankLines) this.#value.appendByte(CODES.space);
    }
    if (chomping !== "-") this.#value.appendBreaks(lastBreak, blankLines);
    if (chomping === "+") this.#value.appendBreaks(blankLines, cursor.at);
    return this.#value.collected();
  }

  /** Moves to the first line that is not blank. Returns the column of the content. */
  #takeIndentation(least: number, increment: number): number {
    if (increment > 0) {
      const indent = least + increment - 1;
      this.#skipBlankLines(indent);
      return indent;
    }
    const cursor = this.#cursor;
    let deepest = least;
    do {
      while (cursor.code() === CODES.space) cursor.at++;
      deepest = Math.max(deepest, cursor.column);
    } while (cursor.takeBreak());
    return deepest;
  }

  /** Moves over lines that have nothing but blanks, and over the indentation of the next one. */
  #skipBlankLines(indent: number): void {
    const cursor = this.#cursor;
    do {
      while (cursor.column < indent && cursor.code() === CODES.space) cursor.at++;
    } while (cursor.takeBreak());
  }
}
