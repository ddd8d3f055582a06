import { ownerOf } from "../../core/caller.ts";
import type { Chunk } from "../../core/content.ts";
import { AppError, quoted } from "../../core/errors.ts";
import { isBelow } from "../../core/paths.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import { list } from "../../core/tree/list.ts";
import { Locks } from "../../core/tree/locked.ts";
import { quotaOf } from "../../core/tree/quota.ts";
import { resolveTargets } from "../../core/tree/targets.ts";
import { callerOf } from "../serving/auth.ts";
import type { Services } from "../serving/route.ts";
import { MAX_JSON_BYTES } from "../request/body.ts";
import { elementsOf, xmlBody, type XmlElement } from "../request/xml.ts";
import { streamed } from "../reply/streamed.ts";
import { escapeXml, XML_DECLARATION } from "../reply/xml.ts";
import {
  type Asked,
  asksFor,
  asksForDead,
  type PropertyName,
  propstatsOf,
  type QuotaState,
  refuseMany,
} from "./properties.ts";
import { DAV, NAMESPACES, OWN, XML_TYPE, xmlReply } from "./replies.ts";
import { type Handled, hrefOf, type Target } from "./target.ts";

/** How far below a directory a request reaches (RFC 4918, 10.2). */
export type Depth = "0" | "1" | "infinity";

/** What the records of a reply share. */
interface Shared {
  readonly target: Target;
  readonly asked: Asked;
  readonly locks: Locks | undefined;
  readonly quota: QuotaState | undefined;
}

const START = `<D:multistatus ${NAMESPACES}>`;
const END = "</D:multistatus>";

const encoder = new TextEncoder();

/** `PROPFIND` (RFC 4918, 9.1), of any depth. */
export async function propfind(c: Handled, services: Services, target: Target): Promise<Response> {
  const depth = depthOf(c) ?? "infinity";
  const asked = askedIn(await xmlBody(c.req.raw, { maxBytes: MAX_JSON_BYTES }));
  const root = await rootOf(c, services, target);
  const shared = await sharedOf(c, services, { target, asked });
  const first = START + await responses(services, shared, [root]);
  if (depth === "0" || root?.isDir === false) return xmlReply(c, 207, first + END);
  return await streamed(c, document(), { status: 207, headers: { "Content-Type": XML_TYPE } });

  async function* document(): AsyncGenerator<Chunk> {
    yield encoder.encode(XML_DECLARATION + first);
    const { path } = target;
    const listed = list(services.tree, {
      caller: callerOf(c),
      paths: path === "" ? [] : [path],
      recursive: depth === "infinity",
    });
    for await (const batch of listed) {
      // A listing has the directory itself, and those above it.
      const below = path === "" ? batch : batch.filter((record) => isBelow(record.path, path));
      if (below.length > 0) yield encoder.encode(await responses(services, shared, below));
    }
    yield encoder.encode(END);
  }
}

/**
 * The header `Depth`, or undefined if there is none.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function depthOf(c: Handled): Depth | undefined {
  const given = c.req.header("Depth")?.trim().toLowerCase();
  if (given === undefined || given === "0" || given === "1" || given === "infinity") return given;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Invalid Depth ${quoted(given)}: expected 0, 1 or infinity`,
  );
}

/** The record that an address names; undefined for the root of the tree. */
export async function rootOf(
  c: Handled,
  { tree }: Services,
  { path }: Target,
): Promise<ResourceRecord | undefined> {
  if (path === "") return undefined;
  const { byPath } = await resolveTargets(
    tree,
    { caller: callerOf(c), paths: [path], ids: [] },
    "find",
  );
  return byPath[0];
}

/**
 * What the body of a request asks for (RFC 4918, 14.20). Without one, all.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not such a request.
 */
function askedIn(body: XmlElement | undefined): Asked {
  if (body === undefined) return { kind: "all", besides: [] };
  const children = elementsOf(body).filter(({ namespace }) => namespace === DAV);
  const child = (name: string) => children.find((it) => it.name === name);
  const some = child("prop");
  if (body.namespace === DAV && body.name === "propfind") {
    if (child("propname") !== undefined) return { kind: "names" };
    if (some !== undefined) return { kind: "some", names: namesIn(some) };
    if (child("allprop") !== undefined) {
      const include = child("include");
      return { kind: "all", besides: include === undefined ? [] : namesIn(include) };
    }
  }
  throw new AppError("ErrResourcesInvalidRequest", "Invalid body: expected a propfind element");
}

function namesIn(element: XmlElement): PropertyName[] {
  const names = elementsOf(element).map(({ namespace, name }) => ({ namespace, name }));
  refuseMany(names);
  return names;
}

async function sharedOf(
  c: Handled,
  services: Services,
  { target, asked }: Pick<Shared, "target" | "asked">,
): Promise<Shared> {
  const userId = ownerOf(callerOf(c));
  const needsLocks = asksFor(asked, DAV, "lockdiscovery");
  const needsQuota = asksFor(asked, DAV, "quota-used-bytes", "quota-available-bytes");
  return {
    ...{ target, asked },
    locks: needsLocks ? new Locks(await services.dav.locksOf(userId, Date.now())) : undefined,
    quota: needsQuota ? await quotaState(c, services) : undefined,
  };
}

/** RFC 4331, 3 and 4. */
async function quotaState(c: Handled, { tree }: Services): Promise<QuotaState> {
  const caller = callerOf(c);
  const usage = await tree.records.usage({ userId: ownerOf(caller), everyone: false });
  const used = usage.bytes + usage.uploading;
  const quota = quotaOf(tree, caller);
  return { used, available: quota === undefined ? undefined : Math.max(0, quota - used) };
}

async function responses(
  { tree, dav }: Services,
  shared: Shared,
  records: readonly (ResourceRecord | undefined)[],
): Promise<string> {
  const { target, asked } = shared;
  const ids = records.flatMap((record) => record?.id ?? []);
  const dead = asksForDead(asked) && ids.length > 0 ? await dav.propertiesOf(ids) : undefined;
  const files = asksFor(asked, OWN, "sha256", "verdict")
    ? records.filter((record) => record !== undefined).filter(({ isDir }) => !isDir)
    : [];
  const verdicts = files.length > 0 ? await tree.verdicts.of(files) : [];
  const contents = new Map(files.map(({ id }, index) => [id, verdicts[index]]));
  return records.map((record) => {
    const id = record?.id ?? 0;
    const href = hrefOf(target, record?.path ?? "", record?.isDir ?? true);
    const known = { ...shared, record, content: contents.get(id), dead: dead?.get(id) ?? [] };
    return `<D:response><D:href>${escapeXml(href)}</D:href>${
      propstatsOf(asked, known)
    }</D:response>`;
  }).join("");
}
