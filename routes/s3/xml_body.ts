import { AppError } from "../../core/errors.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { MIB } from "../../schemas/units.ts";
import { elementsOf, parseXml, textOf, type XmlElement } from "../request/xml.ts";
import { SignedBody } from "./body.ts";
import type { Handled } from "./target.ts";

/** Ten thousand parts with their checksums, or a thousand long keys. */
const MAX_XML_BYTES = 4 * MIB;
const MAX_XML_MS = 120_000;

/**
 * Reads the body of a request as an XML document.
 *
 * @param root The name of its root.
 * @param isContent Whether the checksums that are stated are those of the body. @default true
 * @throws {S3Error} `MalformedXML` when it is not such a document.
 */
export async function xmlOf(c: Handled, root: string, isContent = true): Promise<XmlElement> {
  const limits = { maxBytes: MAX_XML_BYTES, withinMs: MAX_XML_MS };
  const bytes = await new SignedBody(c, limits, [], isContent).bytes();
  let document: XmlElement;
  try {
    document = await parseXml(bytes);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw malformed(error.message, error);
  }
  if (document.name !== root) throw malformed(`Expected the element ${root}`);
  return document;
}

/** The elements in an element that have a name. */
export function childrenOf(element: XmlElement, name: string): XmlElement[] {
  return elementsOf(element).filter((it) => it.name === name);
}

/** The text of the one element in an element that has a name. */
export function childText(element: XmlElement, name: string): string | undefined {
  const [child, ...others] = childrenOf(element, name);
  if (others.length > 0) throw malformed(`There is more than one element ${name}`);
  return child && textOf(child);
}

/** @throws {S3Error} `MalformedXML` when there is no such element. */
export function requiredText(element: XmlElement, name: string): string {
  const text = childText(element, name);
  if (text !== undefined) return text;
  throw malformed(`The element ${name} is missing`);
}

export function malformed(message: string, cause?: unknown): S3Error {
  return new S3Error("MalformedXML", message, { cause });
}
