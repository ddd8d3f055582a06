/** A Python literal, of the kinds that array headers use. */
export type Literal =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "word"; readonly word: "True" | "False" | "None" }
  | { readonly kind: "list" | "tuple"; readonly items: readonly Literal[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Literal, Literal])[] };

/** Thrown when text is not a supported literal, or is nested too deeply. */
export class LiteralError extends SyntaxError {
  override readonly name = "LiteralError";
}

/** Levels of nested brackets. */
const MAX_DEPTH = 32;
/** Digits of the longest integer that fits 64 bits. */
const MAX_DIGITS = 20;

const SPACE = /[ \t\n\r\f]*/y;
const WORD = /(?:True|False|None)(?!\w)/y;
/** Python 2 wrote an `L` after some integers, which NumPy ignores. */
const INTEGER = /([-+]?[0-9]+)L?\b/y;
const STRING = /[uUbB]?(?:'([^'\\\n]*)'|"([^"\\\n]*)")/y;

/**
 * Parses a Python literal: strings without escapes, integers, `True`, `False`, `None`, lists, tuples
 * and dictionaries. Nothing is evaluated.
 *
 * @throws {LiteralError} when the text is anything else.
 */
export function parseLiteral(source: string): Literal {
  const parser = new LiteralParser(source);
  const literal = parser.value(0);
  parser.expectEnd();
  return literal;
}

class LiteralParser {
  #position = 0;

  constructor(readonly source: string) {}

  value(depth: number): Literal {
    if (depth > MAX_DEPTH) throw new LiteralError("Nested too deeply");
    if (this.#take("{")) return this.#dict(depth);
    if (this.#take("[")) return { kind: "list", items: this.#items("]", depth).items };
    if (this.#take("(")) return this.#parenthesized(depth);
    const word = this.#match(WORD)?.[0];
    if (word === "True" || word === "False" || word === "None") return { kind: "word", word };
    return this.#integer() ?? this.#text();
  }

  expectEnd(): void {
    this.#match(SPACE);
    if (this.#position < this.source.length) {
      throw new LiteralError(`Expected the end at ${this.#position}`);
    }
  }

  #parenthesized(depth: number): Literal {
    const { items, commas } = this.#items(")", depth);
    const [only] = items;
    return only !== undefined && items.length === 1 && commas === 0
      ? only
      : { kind: "tuple", items };
  }

  #items(closing: string, depth: number): { readonly items: readonly Literal[]; commas: number } {
    const items: Literal[] = [];
    let commas = 0;
    while (!this.#take(closing)) {
      if (items.length > commas) throw new LiteralError(`Expected a comma at ${this.#position}`);
      items.push(this.value(depth + 1));
      if (this.#take(",")) commas++;
    }
    return { items, commas };
  }

  #dict(depth: number): Literal {
    const entries: [Literal, Literal][] = [];
    let commas = 0;
    while (!this.#take("}")) {
      if (entries.length > commas) throw new LiteralError(`Expected a comma at ${this.#position}`);
      const key = this.value(depth + 1);
      if (!this.#take(":")) throw new LiteralError(`Expected a colon at ${this.#position}`);
      entries.push([key, this.value(depth + 1)]);
      if (this.#take(",")) commas++;
    }
    return { kind: "dict", entries };
  }

  #integer(): Literal | undefined {
    const digits = this.#match(INTEGER)?.[1];
    if (digits === undefined) return undefined;
    if (digits.length > MAX_DIGITS + 1) throw new LiteralError("Integer has too many digits");
    return { kind: "integer", value: BigInt(digits.replace("+", "")) };
  }

  #text(): Literal {
    const match = this.#match(STRING);
    const text = match?.[1] ?? match?.[2];
    if (text === undefined) throw new LiteralError(`Expected a literal at ${this.#position}`);
    return { kind: "text", text };
  }

  #take(token: string): boolean {
    this.#match(SPACE);
    const isNext = this.source.startsWith(token, this.#position);
    if (isNext) this.#position++;
    return isNext;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.source) ?? undefined;
    this.#position += match?.[0].length ?? 0;
    return match;
  }
}

/** A literal as reports show it: strings without quotes, and the first 20 items of a list or tuple. */
export function formatLiteral(literal: Literal): string {
  switch (literal.kind) {
    case "text":
      return literal.text;
    case "integer":
      return `${literal.value}`;
    case "word":
      return literal.word;
    case "list":
      return `[${literal.items.slice(0, 20).map(formatLiteral).join(", ")}]`;
    case "tuple":
      return `(${literal.items.slice(0, 20).map(formatLiteral).join(", ")})`;
    case "dict":
      return "{…}";
  }
}
