import { MIB } from "../../../../schemas/units.ts";

/** A piece of an XML text. */
export type XmlToken =
  | {
    readonly kind: "element";
    readonly name: string;
    readonly attributes: readonly (readonly [string, string])[];
    readonly position: number;
  }
  | { readonly kind: "end" | "text" | "comment"; readonly text: string; readonly position: number }
  | {
    readonly kind: "declaration" | "instruction";
    /** Such as `DOCTYPE`, `ENTITY`, or the target of a processing instruction. */
    readonly name: string;
    readonly text: string;
    readonly position: number;
  }
  /** The end of the text is missing, or markup was too long to be looked at as a whole. */
  | { readonly kind: "broken" | "cut"; readonly position: number };

/** How much of markup is looked at, and of a text at a time. */
const PIECE = MIB;

/** Attributes of one element beyond this number are not looked at. */
const ATTRIBUTES = 1000;

/**
 * The pieces of an XML text, each character of which is a byte. It does not expand entities, follows no
 * reference, and takes declarations wherever they stand.
 */
export function* readXml(text: string): Generator<XmlToken, void, void> {
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("<", at);
    yield* pieces(text, at, open < 0 ? text.length : open);
    if (open < 0) return;
    const [token, next] = readMarkup(text, open);
    yield token;
    if (token.kind === "broken") return;
    if (token.kind === "text" || token.kind === "comment") yield* pieces(text, open + PIECE, next);
    else if (next - open > PIECE) yield { kind: "cut", position: open };
    at = next;
  }
}

function* pieces(text: string, from: number, end: number): Generator<XmlToken, void, void> {
  for (let at = from; at < end; at += PIECE) {
    yield { kind: "text", text: text.slice(at, Math.min(end, at + PIECE)), position: at };
  }
}

function readMarkup(text: string, at: number): [XmlToken, number] {
  if (text.startsWith("<!--", at)) return readUntil(text, at, 4, "-->", "comment");
  if (text.startsWith("<![CDATA[", at)) return readUntil(text, at, 9, "]]>", "text");
  if (text.startsWith("<?", at)) return readInstruction(text, at);
  if (text.startsWith("<!", at)) return readDeclaration(text, at);
  if (text.startsWith("</", at)) return readUntil(text, at, 2, ">", "end");
  return readElement(text, at);
}

function readUntil(
  text: string,
  at: number,
  mark: number,
  closing: string,
  kind: "comment" | "text" | "end",
): [XmlToken, number] {
  const end = text.indexOf(closing, at + mark);
  if (end < 0) return [{ kind: "broken", position: at }, text.length];
  const inner = text.slice(at + mark, Math.min(end, at + PIECE));
  return [{ kind, text: inner, position: at }, end + closing.length];
}

function readInstruction(text: string, at: number): [XmlToken, number] {
  const end = text.indexOf("?>", at + 2);
  if (end < 0) return [{ kind: "broken", position: at }, text.length];
  const inner = text.slice(at + 2, Math.min(end, at + PIECE));
  const name = /^\S{0,100}/.exec(inner)?.[0] ?? "";
  return [{ kind: "instruction", name, text: inner, position: at }, end + 2];
}

/** A declaration; the subset in the brackets of a document type is read as declarations of their own. */
function readDeclaration(text: string, at: number): [XmlToken, number] {
  const end = markupEnd(text, at + 2, true);
  if (end === undefined) return [{ kind: "broken", position: at }, text.length];
  const inner = text.slice(at + 2, Math.min(end, at + PIECE));
  const name = (/^\s*\w{1,50}/.exec(inner)?.[0] ?? "").trim().toUpperCase();
  return [{ kind: "declaration", name, text: inner, position: at }, end + 1];
}

function readElement(text: string, at: number): [XmlToken, number] {
  const end = markupEnd(text, at + 1, false);
  if (end === undefined) return [{ kind: "broken", position: at }, text.length];
  const inner = text.slice(at + 1, Math.min(end, at + PIECE));
  const name = /^[^\s/>]{0,200}/.exec(inner)?.[0] ?? "";
  const attributes: (readonly [string, string])[] = [];
  for (
    const match of inner.matchAll(/([^\s=/"'<>]{1,200})\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)')/g)
  ) {
    if (attributes.length >= ATTRIBUTES) break;
    attributes.push([match[1] ?? "", resolveCharacterReferences(match[2] ?? match[3] ?? "")]);
  }
  return [{ kind: "element", name, attributes, position: at }, end + 1];
}

/** Where markup ends: at `>` outside of quotation marks, or for a declaration at its `[`. */
function markupEnd(text: string, from: number, declaration: boolean): number | undefined {
  let quote: string | undefined;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (quote !== undefined) {
      if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") quote = character;
    else if (character === ">" || declaration && character === "[") return at;
  }
  return undefined;
}

const NAMED: Readonly<Record<string, string>> = {
  lt: "<",
  gt: ">",
  amp: "&",
  quot: '"',
  apos: "'",
};

/** A text with the references to characters resolved. */
export function resolveCharacterReferences(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,10}));/gi,
    (whole, hex?: string, decimal?: string, name = "") => {
      const code = hex !== undefined ? parseInt(hex, 16) : Number(decimal);
      if (Number.isNaN(code)) return NAMED[name] ?? whole;
      return code > 0x10ffff ? "\ufffd" : String.fromCodePoint(code);
    },
  );
}
