import { ownerOf, requirePermission } from "../../core/caller.ts";
import { AppError, quoted } from "../../core/errors.ts";
import type { Lock } from "../../core/locks.ts";
import { endLock, extendLock, MAX_LOCK_S, takeLock } from "../../core/tree/lock.ts";
import { put } from "../../core/tree/put.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { elementsOf, xmlBody, type XmlElement } from "../request/xml.ts";
import { writeXml } from "../reply/xml.ts";
import { KIB } from "../../schemas/units.ts";
import { activeLock } from "./properties.ts";
import { depthOf } from "./propfind.ts";
import { DAV, emptyReply, NAMESPACES, xmlReply } from "./replies.ts";
import type { Handled, Target } from "./target.ts";

/** The longest body: a client names its user in it. */
const MAX_BODY_BYTES = 4 * KIB;

/** `LOCK` (RFC 4918, 9.10). Where nothing is, it makes an empty file. */
export async function lock(c: Handled, services: Services, target: Target): Promise<Response> {
  const { path } = target;
  auditChange(c, { paths: [path] });
  const lastsS = lastsOf(c.req.header("Timeout"));
  const body = await xmlBody(c.req.raw, { maxBytes: MAX_BODY_BYTES });
  const { tree } = services;
  if (body === undefined) {
    return lockReply(c, target, await extendLock(tree, { caller: callerOf(c), path, lastsS }), 200);
  }
  const depth = depthOf(c) ?? "infinity";
  if (depth === "1") throw invalid("Invalid Depth 1 of a LOCK");
  const wanted = { ...wantedIn(body), isDeep: depth === "infinity", lastsS };
  const isNew = await makeEmpty(c, services, path);
  const taken = await takeLock(tree, { caller: callerOf(c), path, ...wanted });
  return lockReply(c, target, taken, isNew ? 201 : 200);
}

/** `UNLOCK` (RFC 4918, 9.11). */
export async function unlock(c: Handled, services: Services, target: Target): Promise<Response> {
  const { path } = target;
  auditChange(c, { paths: [path] });
  const given = c.req.header("Lock-Token") ?? "";
  const token = /^\s*<([^<>]+)>\s*$/.exec(given)?.[1];
  if (token === undefined) throw invalid(`Invalid Lock-Token ${quoted(given)}`);
  await endLock(services.tree, { caller: callerOf(c), path, token });
  return emptyReply(c, 204);
}

/** Makes an empty file where nothing is (RFC 4918, 7.3). Returns whether it did. */
async function makeEmpty(c: Handled, { tree }: Services, path: string): Promise<boolean> {
  const caller = callerOf(c);
  if (path === "") return false;
  const scope = { userId: ownerOf(caller), everyone: false };
  if ((await tree.records.findByPath(scope, [path])).size > 0) return false;
  requirePermission(caller, "resources.upload");
  await put(tree, {
    ...{ caller, path, content: (async function* () {})(), declaredSize: 0, needsParent: true },
    requireCondition() {},
    verify() {},
  });
  return true;
}

function lockReply(c: Handled, target: Target, lock: Lock, status: 200 | 201): Response {
  return xmlReply(
    c,
    status,
    `<D:prop ${NAMESPACES}><D:lockdiscovery>${activeLock(target, lock)}</D:lockdiscovery></D:prop>`,
    { "Lock-Token": `<${lock.token}>` },
  );
}

/** What a `lockinfo` element asks for (RFC 4918, 14.11). */
function wantedIn(body: XmlElement): Pick<Lock, "isShared" | "owner"> {
  const children = elementsOf(body).filter(({ namespace }) => namespace === DAV);
  const named = (name: string) => children.find((it) => it.name === name);
  const holds = (name: string) =>
    elementsOf(named(name) ?? { ...body, children: [] })
      .filter(({ namespace }) => namespace === DAV).map(({ name }) => name);
  const [scope] = holds("lockscope");
  const isLock = body.namespace === DAV && body.name === "lockinfo" &&
    holds("locktype").includes("write") && (scope === "exclusive" || scope === "shared");
  if (!isLock) throw invalid("Invalid body: expected a lockinfo element of a write lock");
  const owner = named("owner");
  return { isShared: scope === "shared", owner: owner === undefined ? "" : writeXml(owner) };
}

/** How long a lock is to last, in seconds (RFC 4918, 10.7): an hour at most (C 30). */
function lastsOf(header: string | undefined): number {
  const [first = ""] = header?.split(",") ?? [];
  const seconds = /^\s*Second-(\d{1,10})\s*$/i.exec(first)?.[1];
  return seconds === undefined ? MAX_LOCK_S : Math.min(Math.max(1, Number(seconds)), MAX_LOCK_S);
}

function invalid(message: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", message);
}
