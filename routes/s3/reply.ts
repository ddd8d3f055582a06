import { isoTime } from "../../core/entries.ts";
import { respond } from "../reply/respond.ts";
import { escapeXml, XML_DECLARATION } from "../reply/xml.ts";
import type { Handled } from "./target.ts";

const NAMESPACE = "http://s3.amazonaws.com/doc/2006-03-01/";

const encoder = new TextEncoder();

/** A part of an XML document. */
export type Xml = { readonly xml: string };

/** An element with text, or with parts. Undefined parts are left out. */
export function element(
  name: string,
  content: string | number | boolean | readonly (Xml | undefined)[],
): Xml {
  const inner = typeof content === "object"
    ? content.map((it) => it?.xml ?? "").join("")
    : escapeXml(String(content));
  return { xml: `<${name}>${inner}</${name}>` };
}

/** A time as S3 writes it, from milliseconds since the Unix epoch. */
export function timeElement(name: string, time: number): Xml {
  return element(name, isoTime(time));
}

/** A reply with an XML document. */
export function xmlReply(
  c: Handled,
  root: string,
  parts: readonly (Xml | undefined)[],
  headers: Readonly<Record<string, string>> = {},
): Response {
  const { xml } = element(root, parts);
  const named = xml.replace(`<${root}>`, `<${root} xmlns="${NAMESPACE}">`);
  const bytes = encoder.encode(XML_DECLARATION + named);
  return respond(c, c.req.method === "HEAD" ? null : bytes, 200, {
    "Content-Type": "application/xml",
    "Content-Length": String(bytes.length),
    ...headers,
  });
}

/** A reply without a body. */
export function emptyReply(
  c: Handled,
  status: 200 | 204,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return respond(c, null, status, headers);
}
