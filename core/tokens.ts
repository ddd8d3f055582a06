import * as v from "valibot";
import { JwtId, TimeToLive, type TreePrivileges, UserId } from "../schemas/credentials.ts";
import { type Caller, permits, requireAllOf, requirePermission } from "./caller.ts";
import type { CredentialPage, CredentialStore, RegisteredCredential } from "./credential_store.ts";
import { LEEWAY_S, type SignCredential } from "./credentials.ts";
import { AppError, quoted } from "./errors.ts";
import { KEPT_PER_VALID } from "./settled_time.ts";
import { newShortToken, shortTokenSha256 } from "./short_credentials.ts";

/** What the operations on credentials work with. */
export interface TokenService {
  readonly store: CredentialStore;
  /** Undefined if the server only verifies the credentials of another issuer. */
  readonly sign: SignCredential | undefined;
  /** As `sign`, for clients of S3. */
  readonly makeAccessKey: (() => { readonly id: string; readonly secret: string }) | undefined;
  /** The quota of users whose credential states none, in bytes. @default none */
  readonly userQuota?: number | undefined;
}

/** The most credentials of a user that credentials minted and that have not expired. */
const MAX_DERIVED = 1000;
const MAX_LIFETIME_S = 365 * 24 * 60 * 60;
/** How long a credential of a person lasts that asks for no time. */
const PERSON_LIFETIME_S = 90 * 24 * 60 * 60;
/** The parent of what a person has minted itself, with its number. */
const PARENT_OF_PERSONS = "person:";
const LABEL = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** A request for a credential. */
export interface MintTokenRequest {
  readonly caller: Caller;
  readonly privileges: readonly string[];
  readonly trees: TreePrivileges;
  /** Seconds, or a duration such as `7d`. @default as long as the credential of the caller, at most a year */
  readonly expiresIn?: number | string | undefined;
  /** In bytes. @default that of the caller's credential */
  readonly quota?: number | undefined;
  readonly label?: string | undefined;
  /** Whether its token is short, as clients of the model hub need it (C 31), or an access key (C 30). @default neither */
  readonly form?: "hf" | "s3" | undefined;
  /** How long it lasts after each use, in milliseconds. @default it ends at its time */
  readonly renewedMs?: number | undefined;
}

/**
 * Mints a credential for the user of the caller that permits no more than the caller's own, and is revoked
 * with it. The token is returned here, and kept nowhere; that of an access key is its secret.
 * See docs/design/revocation.md.
 *
 * @throws {AppError} `ErrTokensNotIssued` when the server has no key to sign with,
 *   `ErrResourcesInvalidRequest` when the request is invalid or the user has {@link MAX_DERIVED}
 *   credentials, `ErrNotPermitted` when it asks for more than the caller has, or the caller's credential may
 *   mint none, `ErrAuthRequired` when that has just been revoked.
 */
export async function mintToken(
  { store, sign, makeAccessKey, userQuota }: TokenService,
  request: MintTokenRequest,
): Promise<{ readonly credential: RegisteredCredential; readonly token: string }> {
  const { caller, label, form } = request;
  const isPerson = caller.isPerson === true;
  // The register has all of a short credential of a person.
  if (!isPerson) requireIssuer(sign);
  const accessKey = form === "s3" ? requireIssuer(makeAccessKey)() : undefined;
  const shortToken = form === "hf" ? newShortToken() : undefined;
  const known = accessKey?.secret ?? shortToken;
  const issue = known === undefined ? requireIssuer(sign) : () => Promise.resolve(known);
  const now = Date.now();
  const held = heldOf(request);
  const asked = lifetimeOf(request.expiresIn);
  refuseLabel(label);
  const parent = isPerson ? PARENT_OF_PERSONS + caller.userId : mintingIdOf(caller);
  requireAllOf(caller, held);
  const credential = {
    jti: crypto.randomUUID(),
    userId: caller.userId,
    ...held,
    quota: quotaWithin(caller.quota ?? userQuota, request.quota) ?? caller.quota,
    label,
    parent,
    // What a person has minted outlives its session.
    parentIssuedAt: isPerson ? now : caller.issuedAt ?? 0,
    mintedAt: now,
    expiresAt: endWithin(caller, asked, now),
    isBound: caller.isBound === true,
  };
  const key = accessKey?.id ?? shortToken;
  const short = key === undefined ? undefined : {
    tokenSha256: shortTokenSha256(key),
    keyId: caller.keyId,
    accessKeyId: accessKey?.id,
  };
  const { renewedMs } = request;
  if (!await store.add({ ...credential, renewedMs, short }, MAX_DERIVED)) {
    throw await notAdded(store, caller);
  }
  return {
    credential: {
      ...credential,
      revokedAt: undefined,
      ...(short !== undefined && {
        short: { keyId: short.keyId, usedAt: undefined, accessKeyId: short.accessKeyId },
      }),
    },
    token: await issue({ ...credential, expiresAt: credential.expiresAt / 1000 }),
  };
}

/**
 * A page of the credentials that were minted or revoked, newest first: those of the caller's user, or with
 * `resources.admin` of all users and of other issuers.
 *
 * @param page `userId` is whose.
 * @throws {AppError} `ErrNotPermitted` when they are those of another user, `ErrTokensNotFound` when the
 *   page begins after a credential that is not among them.
 */
export async function listTokens(
  { store }: TokenService,
  { caller, ...page }: CredentialPage & { readonly caller: Caller },
): Promise<RegisteredCredential[]> {
  const isAdmin = permits(caller, "resources.admin");
  if (!isAdmin && page.userId !== undefined && page.userId !== caller.userId) {
    requirePermission(caller, "resources.admin");
  }
  const userId = isAdmin ? page.userId : caller.userId;
  if (page.before !== undefined) {
    const last = v.is(JwtId, page.before) ? await store.find(page.before) : undefined;
    const isListed = last !== undefined && (userId === undefined || last.userId === userId);
    if (!isListed) throw notFound(page.before);
  }
  return await store.list({ ...page, userId });
}

/**
 * Revokes a credential and all that descend from it, from now on. Returns it, also if it was revoked before.
 * A caller may revoke its own, those of its user that permit no more than that, and with `resources.admin`
 * any, those of other issuers too.
 *
 * @throws {AppError} `ErrTokensNotFound` when the caller's user has no such credential, `ErrNotPermitted`
 *   when it permits more than the caller's.
 */
export async function revokeToken(
  { store }: TokenService,
  { caller, jti }: { readonly caller: Caller; readonly jti: string },
): Promise<RegisteredCredential> {
  if (!v.is(JwtId, jti)) throw notFound(jti);
  if (!permits(caller, "resources.admin") && jti !== caller.jti) {
    const found = await store.find(jti);
    if (found?.userId !== caller.userId) throw notFound(jti);
    // A person who may do less than before ends what it has minted then.
    if (caller.isPerson !== true) requireAllOf(caller, found);
  }
  return await store.revoke(jti, Date.now());
}

function requireIssuer<T>(issuer: T | undefined): T {
  if (issuer !== undefined) return issuer;
  const reason = "this server only verifies the credentials of another issuer";
  throw new AppError("ErrTokensNotIssued", `Cannot mint a credential: ${reason}`);
}

/** The `jti` of a credential that may mint others: they are revoked with it, so it must be possible to. */
function mintingIdOf({ jti, isOutdated = false }: Caller): string {
  const refused = (reason: string) =>
    new AppError("ErrNotPermitted", `Cannot mint a credential: yours ${reason}`);
  if (jti === undefined) throw refused("has no jti, by which it could be revoked");
  // Who has a secret that leaked could outlive its replacement.
  if (isOutdated) throw refused("was signed with the previous secret of the server");
  return jti;
}

/** What the credential is to permit. One of an administrator is bound by the claim `trees` as well. */
function heldOf(
  { caller, privileges, trees }: MintTokenRequest,
): Pick<RegisteredCredential, "privileges" | "trees"> {
  const named = Object.entries(trees);
  const wrong = named.find(([user]) => !v.is(UserId, user));
  if (wrong !== undefined) {
    throw invalid(`${quoted(wrong[0])} in trees is not a user id from 1 to 2^53 − 1`);
  }
  if (privileges.length === 0 && named.every(([, names]) => names.length === 0)) {
    throw invalid("it would permit nothing: privileges or trees are required");
  }
  const bound = privileges.includes("resources.admin") ? [...caller.trees ?? []] : [];
  const all = [...bound.map(([user, names]) => [String(user), [...names]] as const), ...named];
  return {
    privileges: [...new Set(privileges)],
    trees: Object.fromEntries(all.map(([user, names]) => [user, [...new Set(names)]])),
  };
}

function lifetimeOf(expiresIn: number | string | undefined): number | undefined {
  if (expiresIn === undefined) return undefined;
  const parsed = v.safeParse(TimeToLive, expiresIn);
  const seconds = parsed.success ? parsed.output : expiresIn;
  const isPossible = typeof seconds === "number" && Number.isInteger(seconds) && seconds >= 1 &&
    seconds <= MAX_LIFETIME_S;
  if (isPossible) return seconds;
  throw invalid(
    `expires_in is ${quoted(String(expiresIn))}, expected 1 to ${MAX_LIFETIME_S} seconds, or a ` +
      "duration up to 365d such as 90s, 15m, 1h or 7d",
  );
}

/** Whether what minted a credential is a person, and not another credential. */
export function isPersonParent(parent: string): boolean {
  return parent.startsWith(PARENT_OF_PERSONS);
}

/** Whether a text can be what a user calls a credential. */
export function isLabel(text: string): boolean {
  return LABEL.test(text) && text.trim() !== "";
}

function refuseLabel(label: string | undefined): void {
  if (label === undefined || isLabel(label)) return;
  throw invalid(`label is ${quoted(label)}, expected 1 to 100 characters without line breaks`);
}

function quotaWithin(limit: number | undefined, asked: number | undefined): number | undefined {
  if (limit === undefined || asked === undefined || asked <= limit) return asked;
  throw new AppError(
    "ErrNotPermitted",
    `Cannot mint a credential with a quota of ${asked} bytes: yours is ${limit}`,
  );
}

/** When the credential expires: a whole second, not after the caller's, which is accepted for a while longer. */
function endWithin(caller: Caller, asked: number | undefined, now: number): number {
  const second = Math.floor(now / 1000);
  if (caller.isPerson === true) return (second + (asked ?? PERSON_LIFETIME_S)) * 1000;
  const last = Math.floor(caller.expiresAt / 1000) - LEEWAY_S;
  const end = asked === undefined ? Math.min(last, second + MAX_LIFETIME_S) : second + asked;
  if (end <= last && end > second) return end * 1000;
  throw new AppError(
    "ErrNotPermitted",
    `Cannot mint a credential that outlives yours, which expires at ${
      new Date(last * 1000).toISOString()
    }`,
  );
}

async function notAdded(store: CredentialStore, caller: Caller): Promise<AppError> {
  if (await store.isRevoked(caller)) {
    return new AppError("ErrAuthRequired", "The credential has been revoked");
  }
  return invalid(
    `you have ${MAX_DERIVED} credentials that have not expired, or minted ${
      MAX_DERIVED * KEPT_PER_VALID
    } within two days; revoked ones count until they expire`,
  );
}

function notFound(jti: string): AppError {
  return new AppError("ErrTokensNotFound", `Credential ${quoted(jti)} not found`);
}

function invalid(reason: string): AppError {
  return new AppError("ErrResourcesInvalidRequest", `Cannot mint a credential: ${reason}`);
}
