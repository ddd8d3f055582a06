/** Characters of YAML by their codes. */
export const CODES = {
  end: -1,
  tab: 0x09,
  lineFeed: 0x0a,
  carriageReturn: 0x0d,
  space: 0x20,
  bang: 0x21,
  doubleQuote: 0x22,
  hash: 0x23,
  percent: 0x25,
  ampersand: 0x26,
  singleQuote: 0x27,
  asterisk: 0x2a,
  comma: 0x2c,
  dash: 0x2d,
  dot: 0x2e,
  colon: 0x3a,
  less: 0x3c,
  greater: 0x3e,
  question: 0x3f,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  pipe: 0x7c,
  closeBrace: 0x7d,
} as const;

/** First bytes of NEL, and of LS and PS, in UTF-8. */
const NEL_LEAD = 0xc2;
const SEPARATOR_LEAD = 0xe2;

/**
 * A table of the bytes at which a loop over a text stops: those of line breaks and the given ones. It
 * holds 1 for them and 0 for all others.
 */
export function stopsAt(characters: string): Uint8Array {
  const table = new Uint8Array(256);
  for (const character of `\n\r\xc2\xe2${characters}`) table[character.charCodeAt(0)] = 1;
  return table;
}

/** Whether the code is one of `,[]{}`, which structure flow collections. */
export function isFlowIndicator(code: number): boolean {
  return code === CODES.comma || code === CODES.openBracket || code === CODES.closeBracket ||
    code === CODES.openBrace || code === CODES.closeBrace;
}

/** Whether the code is that of a space or tab. */
export function isBlank(code: number): boolean {
  return code === CODES.space || code === CODES.tab;
}

/** A position in a YAML text whose characters are bytes. */
export class YamlCursor {
  readonly text: string;
  readonly size: number;
  /** Where the reader is. */
  at = 0;
  /** Where the line of {@link at} begins. */
  lineStart = 0;
  readonly #unicodeBreaks: boolean;

  /**
   * @param unicodeBreaks Whether a line also ends at NEL, LS and PS, as in YAML 1.1 (4.1.4). In YAML 1.2
   * it does not.
   */
  constructor(text: string, unicodeBreaks: boolean) {
    this.text = text;
    this.size = text.length;
    this.#unicodeBreaks = unicodeBreaks;
  }

  get isAtEnd(): boolean {
    return this.at >= this.size;
  }

  /** The column in bytes. Wherever it matters, only ASCII characters precede it on the line. */
  get column(): number {
    return this.at - this.lineStart;
  }

  /** The byte at an index, or -1 after the last. */
  code(at = this.at): number {
    return at < this.size ? this.text.charCodeAt(at) : CODES.end;
  }

  /** The length of the line break at an index, or 0. */
  breakLength(at = this.at): number {
    const code = this.code(at);
    if (code === CODES.lineFeed) return 1;
    if (code === CODES.carriageReturn) return this.code(at + 1) === CODES.lineFeed ? 2 : 1;
    if (!this.#unicodeBreaks) return 0;
    if (code === NEL_LEAD) return this.code(at + 1) === 0x85 ? 2 : 0;
    if (code !== SEPARATOR_LEAD || this.code(at + 1) !== 0x80) return 0;
    const last = this.code(at + 2);
    return last === 0xa8 || last === 0xa9 ? 3 : 0;
  }

  /** Whether a value keeps the line break at an index. Other line breaks become line feeds. */
  isSeparator(at: number): boolean {
    return this.code(at) === SEPARATOR_LEAD;
  }

  isBreakOrEnd(at = this.at): boolean {
    return at >= this.size || this.breakLength(at) > 0;
  }

  /** Whether the character separates tokens: a blank, a line break, or the end of the text. */
  isBlankOrEnd(at: number): boolean {
    return isBlank(this.code(at)) || this.isBreakOrEnd(at);
  }

  /** Whether a line begins here with `---` or `...` and a blank. */
  isDocumentMark(): boolean {
    if (this.at !== this.lineStart) return false;
    const code = this.code();
    return (code === CODES.dash || code === CODES.dot) && this.code(this.at + 1) === code &&
      this.code(this.at + 2) === code && this.isBlankOrEnd(this.at + 3);
  }

  /** The index of the first character from here that is neither a space nor a tab. */
  blanksEnd(from: number): number {
    const { text, size } = this;
    let at = from;
    while (at < size && isBlank(text.charCodeAt(at))) at++;
    return at;
  }

  /** The index of the first stop of a table that {@link stopsAt} made, or of the end. */
  nextStop(from: number, stops: Uint8Array): number {
    const { text, size } = this;
    let at = from;
    while (at < size && stops[text.charCodeAt(at)] === 0) at++;
    return at;
  }

  /** Moves past a line break, if there is one here. */
  takeBreak(): boolean {
    const length = this.breakLength();
    if (length === 0) return false;
    this.at += length;
    this.lineStart = this.at;
    return true;
  }

  /** Moves to the end of the line. */
  skipLine(): void {
    for (;;) {
      this.at = this.nextStop(this.at, LINE_STOPS);
      if (this.isBreakOrEnd()) return;
      this.at++;
    }
  }
}

const LINE_STOPS = stopsAt("");
