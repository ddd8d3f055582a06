import { AppError } from "../../core/errors.ts";
import type { PropertyChange } from "../../core/locks.ts";
import { changeProperties } from "../../core/tree/properties.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { MAX_JSON_BYTES } from "../request/body.ts";
import { elementsOf, xmlBody, type XmlElement } from "../request/xml.ts";
import { escapeXml, writeXml } from "../reply/xml.ts";
import { elementOf, isLive, propstat, refuseMany } from "./properties.ts";
import { rootOf } from "./propfind.ts";
import { DAV, NAMESPACES, xmlReply } from "./replies.ts";
import { type Handled, hrefOf, type Target } from "./target.ts";

/** `PROPPATCH` (RFC 4918, 9.2): all changes or none. */
export async function proppatch(c: Handled, services: Services, target: Target): Promise<Response> {
  auditChange(c, { paths: [target.path] });
  const changes = changesIn(await xmlBody(c.req.raw, { maxBytes: MAX_JSON_BYTES }));
  const record = await rootOf(c, services, target);
  // The root of a tree has no record that could have properties.
  const isRefused = (change: PropertyChange) => record === undefined || isLive(change);
  const refused = changes.filter(isRefused);
  if (refused.length === 0) {
    const { path } = target;
    await changeProperties(services.tree, { caller: callerOf(c), path, changes });
  }
  const names = (some: readonly PropertyChange[]) => some.map((it) => elementOf(it, ""));
  const others = changes.filter((it) => !isRefused(it));
  const propstats = refused.length === 0
    ? propstat(names(changes), "200 OK")
    : propstat(names(refused), "403 Forbidden") +
      propstat(names(others), "424 Failed Dependency", true);
  const href = escapeXml(hrefOf(target, target.path, record?.isDir ?? true));
  return xmlReply(
    c,
    207,
    `<D:multistatus ${NAMESPACES}><D:response><D:href>${href}</D:href>${propstats}` +
      "</D:response></D:multistatus>",
  );
}

/**
 * What the body of a request changes, in order (RFC 4918, 14.19).
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it changes nothing.
 */
function changesIn(body: XmlElement | undefined): PropertyChange[] {
  const isUpdate = body?.namespace === DAV && body.name === "propertyupdate";
  const changes = isUpdate ? elementsOf(body).flatMap(changesOf) : [];
  refuseMany(changes);
  if (changes.length > 0) return changes;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    "Invalid body: expected a propertyupdate element with properties",
  );
}

function changesOf({ namespace, name, children }: XmlElement): PropertyChange[] {
  if (namespace !== DAV || name !== "set" && name !== "remove") return [];
  const elements = children.filter((it) => typeof it !== "string");
  return elements.filter((it) => it.namespace === DAV && it.name === "prop").flatMap(elementsOf)
    .map((it) => ({
      namespace: it.namespace,
      name: it.name,
      ...name === "set" && { xml: writeXml(it) },
    }));
}
