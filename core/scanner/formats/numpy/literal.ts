/** A Python literal, as far as array headers have them. */
export type Literal =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "integer"; readonly value: bigint }
  | { readonly kind: "word"; readonly word: "True" | "False" | "None" }
  | { readonly kind: "list" | "tuple"; readonly items: readonly Literal[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [Literal, Literal])[] };

/** A text that is no literal, or one that is nested too deeply. */
export class LiteralError extends SyntaxError {
  override readonly name = "LiteralError";
}

/** Brackets within each other. */
const DEPTH = 32;
/** Digits of the longest integer that fits 64 bits. */
const DIGITS = 20;

const SPACE = /[ \t\n\r\f]*/y;
const WORD = /(?:True|False|None)(?!\w)/y;
/** Python 2 ends some integers in `L`, which NumPy drops. */
const INTEGER = /([-+]?[0-9]+)L?(?!\w)/y;
const TEXT = /[uUbB]?(?:'([^'\\\n]*)'|"([^"\\\n]*)")/y;

/**
 * Reads a Python literal of texts without escapes, integers, words, lists, tuples and dictionaries.
 * Nothing is evaluated.
 *
 * @throws {LiteralError} where it is none.
 */
export function parseLiteral(source: string): Literal {
  const reader = new LiteralReader(source);
  const literal = reader.value(0);
  reader.expectEnd();
  return literal;
}

class LiteralReader {
  #at = 0;

  constructor(readonly source: string) {}

  value(depth: number): Literal {
    if (depth > DEPTH) throw new LiteralError("Nested too deeply");
    if (this.#take("{")) return this.#dict(depth);
    if (this.#take("[")) return { kind: "list", items: this.#items("]", depth).items };
    if (this.#take("(")) return this.#parenthesised(depth);
    const word = this.#match(WORD)?.[0];
    if (word === "True" || word === "False" || word === "None") return { kind: "word", word };
    return this.#integer() ?? this.#text();
  }

  expectEnd(): void {
    this.#match(SPACE);
    if (this.#at < this.source.length) throw new LiteralError(`More at ${this.#at}`);
  }

  #parenthesised(depth: number): Literal {
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
      if (items.length > commas) throw new LiteralError(`No comma at ${this.#at}`);
      items.push(this.value(depth + 1));
      if (this.#take(",")) commas++;
    }
    return { items, commas };
  }

  #dict(depth: number): Literal {
    const entries: [Literal, Literal][] = [];
    let commas = 0;
    while (!this.#take("}")) {
      if (entries.length > commas) throw new LiteralError(`No comma at ${this.#at}`);
      const key = this.value(depth + 1);
      if (!this.#take(":")) throw new LiteralError(`No colon at ${this.#at}`);
      entries.push([key, this.value(depth + 1)]);
      if (this.#take(",")) commas++;
    }
    return { kind: "dict", entries };
  }

  #integer(): Literal | undefined {
    const digits = this.#match(INTEGER)?.[1];
    if (digits === undefined) return undefined;
    if (digits.length > DIGITS + 1) throw new LiteralError("An integer of too many digits");
    return { kind: "integer", value: BigInt(digits.replace("+", "")) };
  }

  #text(): Literal {
    const found = this.#match(TEXT);
    const text = found?.[1] ?? found?.[2];
    if (text === undefined) throw new LiteralError(`No literal at ${this.#at}`);
    return { kind: "text", text };
  }

  #take(token: string): boolean {
    this.#match(SPACE);
    const found = this.source.startsWith(token, this.#at);
    if (found) this.#at++;
    return found;
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.source) ?? undefined;
    this.#at += found?.[0].length ?? 0;
    return found;
  }
}
