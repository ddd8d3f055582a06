import type { XmlAttribute, XmlElement } from "../request/xml.ts";

/** The namespace of the prefix `xml`, which is never declared. */
const XML = "http://www.w3.org/XML/1998/namespace";

/** What an XML document begins with. */
export const XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n';

/** Characters that no XML document can have, not even as references (XML 1.0, 2.2). */
// deno-lint-ignore no-control-regex
const NOT_XML = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g;

/** What text and the values of attributes cannot have as they are. */
const ESCAPED = /[&<>"\t\n\r]/g;

/** Text of these characters alone is as it is, as nearly all is. */
const PLAIN = /^[\w !#$%'()*+,./:;=?@[\]^`{|}~-]*$/;

/**
 * Writes an element. Names have no prefixes: an element declares the default namespace unless it is that of its
 * parent.
 *
 * @param parentNamespace The default namespace where the element is put.
 */
export function writeXml(element: XmlElement, parentNamespace = ""): string {
  const { name, namespace, attributes, children } = element;
  const declared = namespace === parentNamespace ? "" : ` xmlns="${escapeXml(namespace)}"`;
  const start = `<${name}${declared}${attributes.map(writeAttribute).join("")}`;
  if (children.length === 0) return `${start}/>`;
  const inner = children.map((it) =>
    typeof it === "string" ? escapeXml(it) : writeXml(it, namespace)
  );
  return `${start}>${inner.join("")}</${name}>`;
}

function writeAttribute({ name, namespace, value }: XmlAttribute, index: number): string {
  const text = `="${escapeXml(value)}"`;
  if (namespace === "") return ` ${name}${text}`;
  if (namespace === XML) return ` xml:${name}${text}`;
  return ` xmlns:a${index}="${escapeXml(namespace)}" a${index}:${name}${text}`;
}

/**
 * Text for an XML document, also for values of attributes in double quotes. What XML has no form for becomes
 * U+FFFD.
 */
export function escapeXml(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.toWellFormed().replaceAll(NOT_XML, "\ufffd")
    .replaceAll(ESCAPED, (char) => `&#${char.charCodeAt(0)};`);
}
