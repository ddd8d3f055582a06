import { MIB } from "../../../../schemas/units.ts";

/** A token of an XML document. Positions are indexes into the text. */
export type XmlToken =
  | {
    readonly kind: "element";
    readonly name: string;
    /** Names, and values as they are written: with references, which {@link resolveReferences} resolves. */
    readonly attributes: readonly (readonly [string, string])[];
    readonly position: number;
  }
  | { readonly kind: "end" | "text" | "comment"; readonly text: string; readonly position: number }
  | {
    readonly kind: "declaration" | "instruction";
    /** `DOCTYPE`, `ENTITY` and so on, or the target of a processing instruction. */
    readonly name: string;
    readonly text: string;
    readonly position: number;
  }
  /** Markup that does not end, or of which only the beginning was read. */
  | { readonly kind: "broken" | "cut"; readonly position: number };

/** How much of one piece of markup is read, and the size of the pieces that text is split into. */
const MAX_PIECE_CHARACTERS = MIB;

/** Further attributes of an element are ignored. */
const MAX_ATTRIBUTES = 1000;

/**
 * Splits an XML document into tokens. It expands no entities, follows no references, and accepts
 * declarations anywhere, including those of a document type's internal subset.
 *
 * @param text The document as Latin-1, so that positions are byte offsets.
 */
export function readXml(text: string): Generator<XmlToken, void, void> {
  return new XmlReader(text).tokens();
}

/** A token, and the index after it. */
type Read = readonly [token: XmlToken, end: number];

class XmlReader {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  *tokens(): Generator<XmlToken, void, void> {
    let at = 0;
    while (at < this.#text.length) {
      const open = this.#text.indexOf("<", at);
      yield* this.#pieces(at, open < 0 ? this.#text.length : open);
      if (open < 0) return;
      const [token, next] = this.#markup(open);
      yield token;
      if (token.kind === "broken") return;
      if (token.kind === "text" || token.kind === "comment") {
        yield* this.#pieces(open + MAX_PIECE_CHARACTERS, next);
      } else if (next - open > MAX_PIECE_CHARACTERS) yield { kind: "cut", position: open };
      at = next;
    }
  }

  *#pieces(from: number, end: number): Generator<XmlToken, void, void> {
    for (let at = from; at < end; at += MAX_PIECE_CHARACTERS) {
      yield { kind: "text", text: this.#piece(at, end), position: at };
    }
  }

  #piece(from: number, end: number, limit = from + MAX_PIECE_CHARACTERS): string {
    return this.#text.slice(from, Math.min(end, limit));
  }

  #markup(at: number): Read {
    if (this.#text.startsWith("<!--", at)) return this.#delimited("comment", at, 4, "-->");
    if (this.#text.startsWith("<![CDATA[", at)) return this.#delimited("text", at, 9, "]]>");
    if (this.#text.startsWith("<?", at)) return this.#instruction(at);
    if (this.#text.startsWith("<!", at)) return this.#declaration(at);
    if (this.#text.startsWith("</", at)) return this.#delimited("end", at, 2, ">");
    return this.#element(at);
  }

  #delimited(kind: "comment" | "text" | "end", at: number, opening: number, closing: string): Read {
    const end = this.#text.indexOf(closing, at + opening);
    if (end < 0) return this.#broken(at);
    const text = this.#piece(at + opening, end, at + MAX_PIECE_CHARACTERS);
    return [{ kind, text, position: at }, end + closing.length];
  }

  #instruction(at: number): Read {
    const end = this.#text.indexOf("?>", at + 2);
    if (end < 0) return this.#broken(at);
    const text = this.#piece(at + 2, end, at + MAX_PIECE_CHARACTERS);
    const name = /^\S{0,100}/.exec(text)?.[0] ?? "";
    return [{ kind: "instruction", name, text, position: at }, end + 2];
  }

  /** A declaration. One of a document type ends at its internal subset, whose declarations follow. */
  #declaration(at: number): Read {
    const end = this.#markupEnd(at + 2, true);
    if (end === undefined) return this.#broken(at);
    const text = this.#piece(at + 2, end, at + MAX_PIECE_CHARACTERS);
    const name = (/^\s*\w{1,50}/.exec(text)?.[0] ?? "").trim().toUpperCase();
    return [{ kind: "declaration", name, text, position: at }, end + 1];
  }

  #element(at: number): Read {
    const end = this.#markupEnd(at + 1, false);
    if (end === undefined) return this.#broken(at);
    const text = this.#piece(at + 1, end, at + MAX_PIECE_CHARACTERS);
    const name = /^[^\s/>]{0,200}/.exec(text)?.[0] ?? "";
    return [{ kind: "element", name, attributes: attributesOf(text), position: at }, end + 1];
  }

  #broken(position: number): Read {
    return [{ kind: "broken", position }, this.#text.length];
  }

  /** The index of the `>` outside of quotation marks, or of the `[` in a declaration. */
  #markupEnd(from: number, isDeclaration: boolean): number | undefined {
    const text = this.#text;
    let quote: string | undefined;
    for (let at = from; at < text.length; at++) {
      const character = text[at];
      if (quote !== undefined) {
        if (character === quote) quote = undefined;
      } else if (character === '"' || character === "'") quote = character;
      else if (character === ">" || isDeclaration && character === "[") return at;
    }
    return undefined;
  }
}

/** Also matches a name without a value, so that a search never starts again within a name. */
const NAME_WITH_VALUE = /([^\s=/"'<>]+)(?:\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'))?/g;
const MAX_NAME_CHARACTERS = 200;

function attributesOf(element: string): (readonly [string, string])[] {
  const attributes: (readonly [string, string])[] = [];
  for (const [, name = "", quoted, inApostrophes] of element.matchAll(NAME_WITH_VALUE)) {
    if (attributes.length >= MAX_ATTRIBUTES) break;
    const value = quoted ?? inApostrophes;
    if (value === undefined) continue;
    attributes.push([name.slice(-MAX_NAME_CHARACTERS), value]);
  }
  return attributes;
}

const PREDEFINED_ENTITIES: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

/** Replaces character references and the predefined entities (XML 1.0, 4.1 and 4.6). */
export function resolveReferences(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,10}));/gi,
    (whole, hex?: string, decimal?: string, name = "") => {
      const code = hex !== undefined ? parseInt(hex, 16) : Number(decimal);
      if (Number.isNaN(code)) return PREDEFINED_ENTITIES[name] ?? whole;
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    },
  );
}
