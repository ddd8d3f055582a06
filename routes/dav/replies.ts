import type { StatusCode } from "hono/utils/http-status";
import { AppError } from "../../core/errors.ts";
import { Locked } from "../../core/tree/locked.ts";
import { headersOf } from "../reply/envelope.ts";
import { REFUSALS } from "../openapi/refusals.ts";
import { respond } from "../reply/respond.ts";
import { escapeXml, XML_DECLARATION } from "../reply/xml.ts";
import { type Handled, hrefOf, type Target } from "./target.ts";

/** The namespace of WebDAV. Elements in it have the prefix `D`. */
export const DAV = "DAV:";
/** The namespace of what WebDAV has no words for. Elements in it have the prefix `S`. */
export const OWN = "urn:strongroom";
/** Declares both. */
export const NAMESPACES = `xmlns:D="${DAV}" xmlns:S="${OWN}"`;
export const XML_TYPE = "application/xml; charset=utf-8";

const encoder = new TextEncoder();

/** A reply with an XML document. */
export function xmlReply(
  c: Handled,
  status: StatusCode,
  xml: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const bytes = encoder.encode(XML_DECLARATION + xml);
  return respond(c, c.req.method === "HEAD" ? null : bytes, status, {
    "Content-Type": XML_TYPE,
    "Content-Length": String(bytes.length),
    ...headers,
  });
}

/** A reply without a body. */
export function emptyReply(
  c: Handled,
  status: StatusCode,
  headers: Readonly<Record<string, string>> = {},
): Response {
  // A 204 has no length (RFC 9110, 8.6).
  return respond(c, null, status, { ...status !== 204 && { "Content-Length": "0" }, ...headers });
}

/** A refusal with a status that WebDAV has for it, where that is not the one of the API. */
export class DavRefusal extends AppError {
  constructor(
    readonly status: StatusCode,
    ...rest: ConstructorParameters<typeof AppError>
  ) {
    super(...rest);
  }
}

/**
 * A refusal as clients of WebDAV read it (RFC 4918, 14.5): with the condition that failed, if there is a name for
 * it, and the reason, in an element that clients show.
 */
export function refusalReply(c: Handled, target: Target, error: AppError): Response {
  c.set("failure", error);
  const status = statusOf(c.req.method, error);
  const reason = `<S:message>${escapeXml(error.message)}</S:message>`;
  const xml = `<D:error ${NAMESPACES}>${conditionOf(target, error)}${reason}</D:error>`;
  return xmlReply(c, status, xml, headersOf(c, error));
}

function statusOf(method: string, error: AppError): StatusCode {
  if (error instanceof DavRefusal) return error.status;
  const transfers = method === "COPY" || method === "MOVE";
  if (error.kind === "ErrResourcesQuotaExceeded") return 507;
  if (error.kind === "ErrResourcesAlreadyExists") return 405;
  if (error.kind === "ErrResourcesInvalidRequest" && transfers) return 403;
  // A status of tus, which none of these operations has.
  const { status } = REFUSALS[error.kind];
  return status === 460 ? 400 : status;
}

/** The element of RFC 4918, 16, or RFC 4331, 6, that says what failed. */
function conditionOf(target: Target, error: AppError): string {
  if (error instanceof Locked) {
    const href = hrefOf(target, error.lock.path, false);
    return `<D:lock-token-submitted><D:href>${href}</D:href></D:lock-token-submitted>`;
  }
  return error.kind === "ErrResourcesQuotaExceeded" ? "<D:quota-not-exceeded/>" : "";
}
