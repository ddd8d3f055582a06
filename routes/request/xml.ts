import { SaxesParser, type SaxesTagNS } from "saxes";
import type { Chunk } from "../../core/content.ts";
import { isTurnOver, takeTurn } from "../../core/event_loop.ts";
import { type BodyLimits, BodyReader, unreadable } from "./body.ts";

/** An element of an XML document, with the namespaces of its name and attributes resolved. */
export interface XmlElement {
  /** The name without its prefix. */
  readonly name: string;
  /** The URI of its namespace, empty if it is in none. */
  readonly namespace: string;
  /** Those that declare namespaces are left out. */
  readonly attributes: readonly XmlAttribute[];
  /** Elements, and the text between them. */
  readonly children: readonly (XmlElement | string)[];
}

export interface XmlAttribute {
  readonly name: string;
  /** As of {@link XmlElement}. An attribute without a prefix is in none. */
  readonly namespace: string;
  readonly value: string;
}

/** How deep elements may be nested. */
const MAX_DEPTH = 64;
/** The most elements and attributes in a document: some megabytes of memory. */
const MAX_NODES = 100_000;
/** So many characters are parsed in less than a turn of the event loop. */
const PIECE_CHARS = 32_768;
/** The namespace of the attributes that declare namespaces. */
const XMLNS = "http://www.w3.org/2000/xmlns/";

/**
 * Reads a body as an XML document in UTF-8 (C 30). Undefined if the body is empty.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it cannot be read, or is not such a document.
 */
export async function xmlBody(
  request: Pick<Request, "body" | "headers">,
  limits: BodyLimits,
): Promise<XmlElement | undefined> {
  const bytes = await new BodyReader(request, "body", limits).readAll();
  return bytes.length === 0 ? undefined : await parseXml(bytes);
}

/**
 * Parses an XML document in UTF-8. It may have no document type, and so no entities of its own.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not well-formed, has undeclared prefixes, or
 *   has more elements or deeper ones than is allowed.
 */
export async function parseXml(bytes: Chunk): Promise<XmlElement> {
  const text = decoded(bytes);
  const builder = new Builder();
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    if (isTurnOver()) await takeTurn();
    builder.write(text.slice(at, at + PIECE_CHARS));
  }
  return builder.end();
}

/** An element that is being read. */
interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
}

class Builder {
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  readonly #open: OpenElement[] = [];
  #root: XmlElement | undefined;
  #nodes = 0;

  constructor() {
    const parser = this.#parser;
    parser.on("error", ({ message }) => {
      throw malformed(message.replace(/\.$/, ""));
    });
    parser.on("doctype", () => {
      throw malformed("a document type is not allowed");
    });
    parser.on("attribute", () => this.#count());
    parser.on("opentag", (tag) => this.#begin(tag));
    parser.on("closetag", () => this.#open.pop());
    parser.on("text", (text) => this.#open.at(-1)?.children.push(text));
    parser.on("cdata", (text) => this.#open.at(-1)?.children.push(text));
  }

  write(text: string): void {
    this.#parser.write(text);
  }

  end(): XmlElement {
    this.#parser.close();
    if (this.#root === undefined) throw malformed("it has no element");
    return this.#root;
  }

  #begin({ local, uri, attributes }: SaxesTagNS): void {
    this.#count();
    const element: OpenElement = {
      name: local,
      namespace: uri,
      attributes: Object.values(attributes)
        .filter((it) => it.uri !== XMLNS)
        .map((it) => ({ name: it.local, namespace: it.uri, value: it.value })),
      children: [],
    };
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    this.#open.push(element);
    if (this.#open.length > MAX_DEPTH) {
      throw malformed(`its elements are nested deeper than ${MAX_DEPTH}`);
    }
  }

  #count(): void {
    if (++this.#nodes > MAX_NODES) {
      throw malformed(`it has more than ${MAX_NODES} elements and attributes`);
    }
  }
}

/** The children that are elements. */
export function elementsOf(element: XmlElement): XmlElement[] {
  return element.children.filter((it) => typeof it !== "string");
}

/** The text in an element, without that in its children. */
export function textOf(element: XmlElement): string {
  return element.children.filter((it) => typeof it === "string").join("");
}

function decoded(bytes: Chunk): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    throw unreadable("body", "not UTF-8", error);
  }
}

function malformed(why: string): Error {
  return unreadable("body", `not valid XML: ${why}`);
}
