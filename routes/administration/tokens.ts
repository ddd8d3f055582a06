import type { Context } from "hono";
import type { AuditDetails } from "../../core/audit.ts";
import type { RegisteredCredential } from "../../core/credential_store.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import { inNamedTrees, numberFor } from "../../core/people/named.ts";
import { revokeUser } from "../../core/people/revoke_user.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import {
  isPersonParent,
  listTokens,
  mintToken,
  revokeToken,
  type TokenService,
} from "../../core/tokens.ts";
import type { TreePrivileges } from "../../schemas/credentials.ts";
import { PAGE } from "../../schemas/queries.ts";
import { RevocationRequest, type TokenEntry, TokenRequest } from "../../schemas/tokens.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { jsonBody } from "../request/body.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { integerOf, parseQuery } from "../request/query.ts";

type Handled = Context<AppEnvironment>;

/** `POST /tokens/`: a credential that permits no more than the caller's (C 22). */
export async function postToken(
  c: Handled,
  tokens: TokenService,
  people: PeopleStore,
): Promise<Response> {
  const body = await jsonBody(c.req.raw, TokenRequest);
  const { privileges, expires_in: expiresIn, quota, label, short: isShort, s3: isS3 } = body;
  if (isShort && isS3) {
    throw new AppError("ErrResourcesInvalidRequest", "short and s3 are two credentials");
  }
  const caller = callerOf(c);
  const parent = caller.jti;
  auditChange(c, { paths: [], details: { ...heldIn(body), parent } });
  const trees = await inNamedTrees(people, caller, body.trees);
  const { credential, token } = await mintToken(tokens, {
    caller,
    privileges,
    trees,
    expiresIn: expiresIn ?? undefined,
    quota: quota ?? undefined,
    label: label ?? undefined,
    form: isS3 ? "s3" : isShort ? "hf" : undefined,
  });
  auditChange(c, { paths: [], details: detailsOf(credential) });
  return success(c, { ...entryOf(credential, parent), token });
}

/** `GET /tokens/`: newest first, without the tokens (C 22). */
export async function getTokens(
  c: Handled,
  tokens: TokenService,
  people: PeopleStore,
): Promise<Response> {
  const query = parseQuery(c.req.url);
  const caller = callerOf(c);
  const named = query.get("user")?.[0];
  const found = await listTokens(tokens, {
    caller,
    userId: named === undefined
      ? undefined
      : await numberFor(people, caller, { named, what: "user" }),
    limit: integerOf(query, "limit", PAGE.limit) ?? PAGE.limit.default,
    before: query.get("before")?.[0],
  });
  const items = found.map((it) => entryOf(it, caller.jti));
  return success(c, { items, total: items.length });
}

/** `DELETE /tokens/{jti}` (C 22). */
export async function deleteToken(c: Handled, tokens: TokenService): Promise<Response> {
  const jti = c.req.param("jti") ?? "";
  const caller = callerOf(c);
  auditChange(c, { paths: [], details: { jti } });
  const revoked = await revokeToken(tokens, { caller, jti });
  auditChange(c, { paths: [], tree: revoked.userId, details: { jti } });
  return success(c, entryOf(revoked, caller.jti));
}

/** `POST /users/{id}/revocations`: ends all credentials of a user that were issued before a time (C 31). */
export async function postRevocation(
  c: Handled,
  { store }: TokenService,
  people: PeopleStore,
): Promise<Response> {
  const user = c.req.param("named") ?? "";
  const { before } = await jsonBody(c.req.raw, RevocationRequest, { isOptional: true });
  auditChange(c, { paths: [], details: { of: user, before: before ?? undefined } });
  const revoked = await revokeUser({ store, people }, { user, before: before ?? undefined });
  const end = isoTime(revoked.before);
  auditChange(c, { paths: [], tree: revoked.userId, details: { before: end } });
  return success(c, { user_id: revoked.userId, before: end });
}

function entryOf(credential: RegisteredCredential, current: string | undefined): TokenEntry {
  const { jti, userId, privileges, trees, quota, label, parent } = credential;
  return {
    jti,
    user_id: userId ?? null,
    privileges: [...privileges],
    trees: Object.fromEntries(Object.entries(trees).map(([user, names]) => [user, [...names]])),
    quota: quota ?? null,
    label: label ?? null,
    parent: parent === undefined || isPersonParent(parent) ? null : parent,
    created_at: timeOf(credential.mintedAt),
    expires_at: timeOf(credential.expiresAt),
    revoked_at: timeOf(credential.revokedAt),
    ...(credential.short !== undefined && {
      short: {
        last_used_at: timeOf(credential.short.usedAt),
        ...credential.short.accessKeyId !== undefined && {
          access_key_id: credential.short.accessKeyId,
        },
      },
    }),
    is_current: jti === current,
  };
}

function timeOf(time: number | undefined): string | null {
  return time === undefined ? null : isoTime(time);
}

/** A credential in the audit log, as `strongroom token` records it. */
function detailsOf(credential: RegisteredCredential): AuditDetails {
  const { jti, parent, label, expiresAt } = credential;
  return {
    jti,
    ...heldIn(credential),
    expires_at: expiresAt === undefined ? undefined : isoTime(expiresAt),
    parent,
    label,
    short: credential.short === undefined ? undefined : "yes",
    access_key: credential.short?.accessKeyId,
  };
}

function heldIn(
  { privileges, trees }: { readonly privileges: readonly string[]; readonly trees: TreePrivileges },
): AuditDetails {
  return {
    privileges: privileges.join(),
    trees: Object.keys(trees).length === 0 ? undefined : JSON.stringify(trees),
  };
}
