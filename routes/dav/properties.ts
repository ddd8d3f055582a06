import type { DeadProperty, Lock } from "../../core/locks.ts";
import { AppError } from "../../core/errors.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import type { Locks } from "../../core/tree/locked.ts";
import type { ContentVerdict } from "../../core/verdicts.ts";
import { isoTime } from "../../core/entries.ts";
import { httpDate, representationOf } from "../request/conditional.ts";
import { escapeXml } from "../reply/xml.ts";
import { DAV, OWN } from "./replies.ts";
import { hrefOf, type Target } from "./target.ts";

/** The most properties that a request may name. */
const MAX_NAMES = 100;

/** The name of a property. */
export type PropertyName = Pick<DeadProperty, "namespace" | "name">;

/** The bytes of a tree, and those that its quota leaves. */
export interface QuotaState {
  readonly used: number;
  /** Undefined without a quota. */
  readonly available: number | undefined;
}

/** What is known of a file or directory whose properties are asked for. Undefined is what nobody asked for. */
export interface Known {
  readonly target: Target;
  /** Undefined for the root of a tree. */
  readonly record: ResourceRecord | undefined;
  readonly locks: Locks | undefined;
  readonly content: ContentVerdict | undefined;
  readonly quota: QuotaState | undefined;
  readonly dead: readonly DeadProperty[];
}

interface LiveProperty extends PropertyName {
  /** Whether it is one of all properties (RFC 4918, 9.1), which must cost little. */
  readonly inAll: boolean;
  /** The content of the element, or undefined if there is no such property. */
  readonly value: (known: Known) => string | undefined;
}

const fileOnly = (value: (record: ResourceRecord) => string) => ({ record }: Known) =>
  record === undefined || record.isDir ? undefined : value(record);

const LIVE: readonly LiveProperty[] = [
  {
    ...{ namespace: DAV, name: "resourcetype", inAll: true },
    value: ({ record }) => record?.isDir === false ? "" : "<D:collection/>",
  },
  {
    ...{ namespace: DAV, name: "displayname", inAll: true },
    value: ({ record }) => record && escapeXml(record.name),
  },
  {
    ...{ namespace: DAV, name: "creationdate", inAll: true },
    value: ({ record }) => record && isoTime(record.createdAt),
  },
  {
    ...{ namespace: DAV, name: "getlastmodified", inAll: true },
    value: ({ record }) => record && httpDate(record.updatedAt),
  },
  {
    ...{ namespace: DAV, name: "getcontentlength", inAll: true },
    value: fileOnly(({ size }) => String(size)),
  },
  {
    ...{ namespace: DAV, name: "getcontenttype", inAll: true },
    value: fileOnly(() => "application/octet-stream"),
  },
  {
    ...{ namespace: DAV, name: "getetag", inAll: true },
    value: fileOnly((record) => escapeXml(representationOf(record).etag)),
  },
  {
    ...{ namespace: DAV, name: "supportedlock", inAll: true },
    value: () => ["exclusive", "shared"].map(lockEntry).join(""),
  },
  {
    ...{ namespace: DAV, name: "lockdiscovery", inAll: true },
    value: ({ target, record, locks }) =>
      locks?.covering(record?.path ?? "").map((lock) => activeLock(target, lock)).join(""),
  },
  {
    ...{ namespace: DAV, name: "quota-used-bytes", inAll: false },
    value: ({ record, quota }) => record?.isDir === false ? undefined : quota && `${quota.used}`,
  },
  {
    ...{ namespace: DAV, name: "quota-available-bytes", inAll: false },
    value: ({ record, quota }) =>
      record?.isDir === false || quota?.available === undefined ? undefined : `${quota.available}`,
  },
  {
    ...{ namespace: OWN, name: "sha256", inAll: false },
    value: ({ content }) => content?.sha256 ?? undefined,
  },
  {
    ...{ namespace: OWN, name: "verdict", inAll: false },
    value: ({ content }) => content?.verdict,
  },
];

/** Which properties are asked for (RFC 4918, 14.20). */
export type Asked =
  | { readonly kind: "names" }
  /** All that cost little, and others besides. */
  | { readonly kind: "all"; readonly besides: readonly PropertyName[] }
  | { readonly kind: "some"; readonly names: readonly PropertyName[] };

/**
 * Refuses a request that names many properties: each is a statement, or is in the reply for each file.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function refuseMany(names: readonly PropertyName[]): void {
  if (names.length <= MAX_NAMES) return;
  throw new AppError(
    "ErrResourcesInvalidRequest",
    `Too many properties: ${names.length} (maximum: ${MAX_NAMES})`,
  );
}

/** Whether some property is asked for. */
export function asksFor(asked: Asked, namespace: string, ...names: readonly string[]): boolean {
  if (asked.kind === "names") return false;
  const given = asked.kind === "all"
    ? [...LIVE.filter(({ inAll }) => inAll), ...asked.besides]
    : asked.names;
  return given.some((it) => it.namespace === namespace && names.includes(it.name));
}

/** Whether properties are asked for that clients may have set. */
export function asksForDead(asked: Asked): boolean {
  return asked.kind !== "some" || asked.names.some((name) => !isLive(name));
}

/** Whether the server makes a property, so that clients cannot set it. */
export function isLive(name: PropertyName): boolean {
  return findLive(name) !== undefined;
}

/** The `propstat` elements of a file or directory (RFC 4918, 14.22). */
export function propstatsOf(asked: Asked, known: Known): string {
  const dead = new Map(known.dead.map((it) => [keyOf(it), it.xml]));
  const element = (name: PropertyName) => {
    const value = findLive(name)?.value(known);
    return value === undefined ? dead.get(keyOf(name)) : elementOf(name, value);
  };
  if (asked.kind === "names") {
    const names = [...LIVE.filter(({ value }) => value(known) !== undefined), ...known.dead];
    return propstat(names.map((name) => elementOf(name, "")), "200 OK");
  }
  const names = asked.kind === "some" ? asked.names : [
    ...LIVE.filter(({ inAll, value }) => inAll && value(known) !== undefined),
    ...known.dead,
    ...asked.besides,
  ];
  const found = names.map((name) => ({ name, xml: element(name) }));
  const missing = found.filter(({ xml }) => xml === undefined);
  return propstat(found.flatMap(({ xml }) => xml ?? []), "200 OK", missing.length > 0) +
    propstat(missing.map(({ name }) => elementOf(name, "")), "404 Not Found", true);
}

/** A `propstat` element. */
export function propstat(
  properties: readonly string[],
  status: string,
  mayBeEmpty = false,
): string {
  if (properties.length === 0 && mayBeEmpty) return "";
  return `<D:propstat><D:prop>${properties.join("")}</D:prop>` +
    `<D:status>HTTP/1.1 ${status}</D:status></D:propstat>`;
}

/** An element, whose content is XML. */
export function elementOf({ namespace, name }: PropertyName, content: string): string {
  const [start, end] = namespace === DAV
    ? [`D:${name}`, `D:${name}`]
    : namespace === OWN
    ? [`S:${name}`, `S:${name}`]
    : [`${name} xmlns="${escapeXml(namespace)}"`, name];
  return content === "" ? `<${start}/>` : `<${start}>${content}</${end}>`;
}

/** A lock, as clients see it (RFC 4918, 14.1). */
export function activeLock(target: Target, lock: Lock): string {
  const { isShared, isDeep, owner, token, path } = lock;
  const seconds = Math.max(0, Math.ceil((lock.expiresAt - Date.now()) / 1000));
  return `<D:activelock><D:locktype><D:write/></D:locktype><D:lockscope><D:${
    scopeOf(isShared)
  }/></D:lockscope><D:depth>${isDeep ? "infinity" : "0"}</D:depth>${owner}` +
    `<D:timeout>Second-${seconds}</D:timeout>` +
    `<D:locktoken><D:href>${token}</D:href></D:locktoken>` +
    `<D:lockroot><D:href>${
      escapeXml(hrefOf(target, path, false))
    }</D:href></D:lockroot></D:activelock>`;
}

function scopeOf(isShared: boolean): string {
  return isShared ? "shared" : "exclusive";
}

function lockEntry(scope: string): string {
  return `<D:lockentry><D:lockscope><D:${scope}/></D:lockscope>` +
    "<D:locktype><D:write/></D:locktype></D:lockentry>";
}

function findLive({ namespace, name }: PropertyName): LiveProperty | undefined {
  return LIVE.find((it) => it.namespace === namespace && it.name === name);
}

function keyOf({ namespace, name }: PropertyName): string {
  return `${namespace} ${name}`;
}
