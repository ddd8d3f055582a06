import { createHash, randomBytes } from "node:crypto";
import * as v from "valibot";
import { TimeToLive } from "../../schemas/credentials.ts";
import { MAX_LINK_SECONDS } from "../../schemas/links.ts";
import { type Caller, ownerOf, permits, scopeOf } from "../caller.ts";
import type { IsOver, SignedCredential } from "../credential_end.ts";
import { AppError, quoted } from "../errors.ts";
import type { Link, LinkPage, LinkScope, LinkStore } from "../links.ts";
import { parentOf } from "../paths.ts";
import { KEPT_PER_VALID } from "../settled_time.ts";
import type { Tree } from "./changes.ts";
import { type Download, download, type DownloadRequest, type FileSelection } from "./download.ts";
import { resolveTargets } from "./targets.ts";

/** What the operations on links work with. */
export interface LinkService {
  readonly tree: Tree;
  readonly store: LinkStore;
  /** Whether a credential is over, and with it its links. @default none is */
  readonly isOver?: IsOver | undefined;
}

/** The length of a token in bytes: 128 random bits (C 19). */
const TOKEN_BYTES = 16;
const TOKEN = /^[\w-]{22}$/;
/** The most links of one maker. */
const MAX_LINKS = 1000;

/** A request for a link (C 19). */
export interface AddLinkRequest {
  readonly caller: Caller;
  readonly path: string;
  /** Seconds, or a duration such as `7d`. */
  readonly expiresIn: number | string;
  readonly once: boolean;
}

/**
 * Makes a link to a file or directory. Its token is returned here, and kept nowhere.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the path or the time is invalid, or the caller has
 *   {@link MAX_LINKS} links, `ErrResourcesNotFound` when the path has no record.
 */
export async function addLink(
  { tree, store }: LinkService,
  { caller, path, expiresIn, once }: AddLinkRequest,
): Promise<{ readonly link: Link; readonly token: string }> {
  const lifetimeMs = lifetimeOf(expiresIn) * 1000;
  const { byPath: [record] } = await resolveTargets(
    tree,
    { caller, paths: [path], ids: [] },
    "link",
  );
  if (record === undefined) throw invalid("a path is required");
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const now = Date.now();
  const link = await store.add({
    tokenSha256: sha256(token),
    userId: record.userId,
    recordId: record.id,
    path: record.path,
    createdBy: caller.userId,
    jti: caller.jti ?? null,
    issuedAt: caller.issuedAt ?? 0,
    keyId: caller.keyId ?? null,
    createdAt: now,
    expiresAt: now + lifetimeMs,
    once,
  }, MAX_LINKS);
  if (link !== undefined) return { link, token };
  throw invalid(
    `you have ${MAX_LINKS} links, or made ${MAX_LINKS * KEPT_PER_VALID} within two days; remove ` +
      "some, or wait until they expire",
  );
}

/** A link, and whether it still serves something. */
export interface LinkWithStatus {
  readonly link: Link;
  /**
   * `gone` while its record is not at its path, `used` after its only download began, `ended` once the
   * credential that made it is over.
   */
  readonly status: "active" | "used" | "gone" | "ended";
}

/** The links that the caller sees and that have not expired, newest first. */
export async function listLinks(
  { tree, store, isOver = () => false }: LinkService,
  { caller, ...page }: LinkPage & { caller: Caller },
): Promise<LinkWithStatus[]> {
  const links = await store.list(linkScopeOf(caller), page, Date.now());
  const ids = [...new Set(links.map(({ recordId }) => recordId))];
  const records = await tree.records.findById(scopeOf(caller), ids);
  return await Promise.all(links.map(async (link) => {
    if (await isOver(makerOf(link))) return { link, status: "ended" };
    const isThere = records.get(link.recordId)?.path === link.path;
    return { link, status: link.usedAt !== null ? "used" : isThere ? "active" : "gone" };
  }));
}

/**
 * Revokes a link: nothing more is served by it. A download that has begun goes on.
 *
 * @throws {AppError} `ErrLinksNotFound` when the caller sees no such link.
 */
export async function removeLink(
  { store }: LinkService,
  { caller, id }: { caller: Caller; id: number },
): Promise<Link> {
  const removed = await store.remove(linkScopeOf(caller), id);
  if (removed !== undefined) return removed;
  throw new AppError("ErrLinksNotFound", `Link ${id} not found`);
}

/**
 * Finds the link with a token.
 * See docs/design/links.md.
 *
 * @throws {AppError} `ErrLinksNotFound` when no link has the token, or it has expired, been used up or ended
 *   with the credential that made it.
 */
export async function findLink(
  { tree, store, isOver = () => false }: LinkService,
  token: string,
): Promise<Link> {
  const link = TOKEN.test(token) ? await store.find(sha256(token), Date.now()) : undefined;
  if (link === undefined || await isOver(makerOf(link))) throw over();
  const { userId, recordId, path } = link;
  const found = await tree.records.findById({ userId, everyone: false }, [recordId]);
  if (found.get(recordId)?.path !== path) throw over();
  return link;
}

/** Whether the credential that made a link has ended since the link was found, and with it the link (C 31). */
export async function hasLinkEnded(
  { isOver = () => false }: LinkService,
  link: Link,
): Promise<boolean> {
  return await isOver(makerOf(link));
}

/** A request for what a link serves. */
export interface FollowLinkRequest<Selection extends FileSelection>
  extends Pick<DownloadRequest<Selection>, "select" | "signal"> {
  /** Whether the content is to be sent. Otherwise the only download of the link is left. */
  readonly sends: boolean;
}

/**
 * Prepares the download of what a link serves. If the link serves one download only, it is used up from
 * here on, whether the client receives all of it or not: otherwise what was read in part could be read
 * again. No error has used it up.
 *
 * @throws {AppError} `ErrLinksNotFound` when the link is over, `ErrResourcesQuarantined` when the gate
 *   refuses a file.
 * @throws {Error} when content is missing or has the wrong size.
 */
export async function followLink<Selection extends FileSelection>(
  { tree, store }: LinkService,
  link: Link,
  { sends, ...request }: FollowLinkRequest<Selection>,
): Promise<Download<Selection>> {
  const found = await downloadLinked(tree, link, request);
  if (!link.once || !sends || found.content === undefined) return found;
  let isOurs = false;
  try {
    isOurs = await store.use(link.id, Date.now());
  } finally {
    if (!isOurs) await found.content.return();
  }
  if (isOurs) return found;
  throw over();
}

async function downloadLinked<Selection extends FileSelection>(
  tree: Tree,
  { userId, recordId, path, expiresAt }: Link,
  request: Omit<FollowLinkRequest<Selection>, "sends">,
): Promise<Download<Selection>> {
  const caller = { userId, tree: userId, privileges: new Set<string>(), expiresAt };
  // The directories above are not for those who have the link.
  const gate = tree.gate?.namedBelow(parentOf(path));
  try {
    return await download({ ...tree, gate }, {
      ...request,
      caller,
      paths: [],
      ids: [recordId],
      compression: "auto",
    });
  } catch (error) {
    // Nor is what is said of the record.
    if (error instanceof AppError && error.kind === "ErrResourcesNotFound") throw over(error);
    throw error;
  }
}

/** The owner of a tree and administrators see all links in it, others those that they made. */
function linkScopeOf(caller: Caller): LinkScope {
  const { userId, everyone } = scopeOf(caller);
  const seesAll = caller.userId === ownerOf(caller) || permits(caller, "resources.admin");
  return {
    userId: everyone ? undefined : userId,
    createdBy: seesAll ? undefined : caller.userId,
  };
}

/** What is kept of the credential that made a link. */
function makerOf({ createdBy, jti, issuedAt, keyId }: Link): SignedCredential {
  return { userId: createdBy, jti: jti ?? undefined, issuedAt, keyId: keyId ?? undefined };
}

function lifetimeOf(expiresIn: number | string): number {
  const parsed = v.safeParse(TimeToLive, expiresIn);
  const seconds = parsed.success ? parsed.output : expiresIn;
  if (
    typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 &&
    seconds <= MAX_LINK_SECONDS
  ) {
    return seconds;
  }
  throw invalid(
    `expires_in is ${quoted(String(expiresIn))}, expected 1 to ${MAX_LINK_SECONDS} seconds, or a ` +
      "duration up to 30d such as 90s, 15m, 1h or 7d",
  );
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** One answer for links that never were, that are over, and whose path is gone. */
function over(cause?: unknown): AppError {
  return new AppError("ErrLinksNotFound", "The link does not exist, or is over", { cause });
}

function invalid(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot make a link: ${reason}`);
}
