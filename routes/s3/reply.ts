import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import { S3Error } from "../../core/s3/s3_error.ts";
import { failure } from "../reply/envelope.ts";
import { respond } from "../reply/respond.ts";
import { streamed } from "../reply/streamed.ts";
import { escapeXml, XML_DECLARATION } from "../reply/xml.ts";
import { auditChange } from "../serving/audit.ts";
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
  const bytes = encoder.encode(XML_DECLARATION + documentOf(root, parts));
  return respond(c, c.req.method === "HEAD" ? null : bytes, 200, {
    "Content-Type": "application/xml",
    "Content-Length": String(bytes.length),
    ...headers,
  });
}

function documentOf(root: string, parts: readonly (Xml | undefined)[]): string {
  return element(root, parts).xml.replace(`<${root}>`, `<${root} xmlns="${NAMESPACE}">`);
}

/**
 * A reply with an XML document about some work that may take long. Clients wait a minute for something to come:
 * white space comes until it is done. The status is 200 by then, so the document can be that of a refusal.
 *
 * @param parts Makes the parts of the document when the work is done.
 */
export async function lateXmlReply<T>(
  c: Handled,
  root: string,
  work: Promise<T>,
  parts: (done: T) => readonly Xml[],
): Promise<Response> {
  if (await isOver(work)) return xmlReply(c, root, parts(await work));
  auditChange(c, { paths: [], ...c.get("audited"), isLate: true });
  const document = async () => documentOf(root, parts(await work));
  return await streamed(c, whenOver(c, work, document), {
    headers: { "Content-Type": "application/xml" },
  });
}

/** How long a client hears nothing, in milliseconds. */
const SILENCE_MS = 2000;

/** Waits for some work for a while. Returns whether it is over. */
async function isOver(work: Promise<unknown>): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), SILENCE_MS);
  const over = () => true;
  const isOver = await Promise.race([work.then(over, over), promise]);
  clearTimeout(timer);
  return isOver;
}

async function* whenOver(
  c: Handled,
  work: Promise<unknown>,
  document: () => Promise<string>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    yield encoder.encode(XML_DECLARATION);
    while (!await isOver(work)) yield encoder.encode(" ");
    yield encoder.encode(await document());
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === "ErrInternal") throw error;
    const s3Code = error instanceof S3Error ? error.code : undefined;
    const refusal = await failure(c, error, { s3Code }).text();
    yield encoder.encode(refusal.replace(XML_DECLARATION, ""));
  } finally {
    // The client may have gone, and the request goes on.
    await Promise.allSettled([work]);
  }
}

/** A reply without a body. */
export function emptyReply(
  c: Handled,
  status: 200 | 204,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return respond(c, null, status, headers);
}
