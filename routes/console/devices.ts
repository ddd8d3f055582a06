import type { Context } from "hono";
import type { SignedInPerson } from "../../core/console_sessions.ts";
import type { Caller } from "../../core/caller.ts";
import { isoTime } from "../../core/entries.ts";
import { AppError } from "../../core/errors.ts";
import {
  type ApprovedDevice,
  askedByDevice,
  beginDevice,
  CODE_S,
  findDevice,
  INTERVAL_S,
} from "../../core/people/devices.ts";
import { mintToken, type TokenService } from "../../core/tokens.ts";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import { DeviceDecision, type DeviceEntry } from "../../schemas/sign_in.ts";
import { success } from "../reply/envelope.ts";
import { respond } from "../reply/respond.ts";
import { BodyReader, jsonBody } from "../request/body.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { auditChange } from "../serving/audit.ts";
import type { PublicUrl } from "../serving/public_url.ts";
import { type PasskeyParts, personOf } from "./passkeys.ts";

type Handled = Context<AppEnvironment>;

/** Where machines ask. */
export const DEVICE_PATH = `${CONSOLE_PATH}/device`;
const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const MAX_FORM_BYTES = 4096;
/** How long the credential of a machine lasts: after its last use, if its person signs in here alone. */
const LIFETIME_S = 30 * 24 * 60 * 60;

export interface DeviceParts extends PasskeyParts {
  readonly tokens: TokenService;
  readonly callerOfPerson: (person: SignedInPerson) => Promise<Caller>;
  readonly publicUrl: PublicUrl;
  /** Whether people can sign in here: otherwise nobody could approve a machine. */
  readonly hasPeople: () => Promise<boolean>;
}

/** `POST /console/device`: a machine begins to log in (RFC 8628, 3.1). */
export async function authorizeDevice(c: Handled, parts: DeviceParts): Promise<Response> {
  const form = await formOf(c);
  if (!await parts.hasPeople()) return refuse(c, "unauthorized_client");
  const machine = form.get("machine") ?? "a machine";
  const { store } = parts.passkeys;
  const { deviceCode, userCode } = await beginDevice(store, machine, c.get("address"));
  const page = `${parts.publicUrl.for(c)}/#/login`;
  return json(c, 200, {
    device_code: deviceCode,
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}/${userCode}`,
    expires_in: CODE_S,
    interval: INTERVAL_S,
  });
}

/** `POST /console/device/token`: a machine asks whether its person has decided (RFC 8628, 3.4). */
export async function deviceToken(c: Handled, parts: DeviceParts): Promise<Response> {
  const form = await formOf(c);
  if (form.get("grant_type") !== GRANT) return refuse(c, "unsupported_grant_type");
  const answer = await askedByDevice(parts.passkeys.store, form.get("device_code") ?? "");
  switch (answer.kind) {
    case "pending":
      return refuse(c, "authorization_pending");
    case "denied":
      return refuse(c, "access_denied");
    case "over":
      return refuse(c, "expired_token");
    case "approved":
      try {
        return await loggedIn(c, parts, answer);
      } catch (error) {
        if (!(error instanceof AppError)) throw error;
        // It has no use for the codes of the API.
        c.set("failure", error);
        return refuse(c, "access_denied", error.message);
      }
  }
}

/** Mints the credential of a machine. */
async function loggedIn(
  c: Handled,
  parts: DeviceParts,
  { person: userId, at: since, machine }: ApprovedDevice,
): Promise<Response> {
  const { passkeys: { people }, tokens } = parts;
  const until = since + CODE_S * 1000;
  const caller = await parts.callerOfPerson({ userId, since, until, keyId: parts.keyId() });
  c.set("caller", caller);
  requireRights(caller);
  const person = await people.findByNumber(userId);
  const trees = [...caller.trees ?? []].map(([tree, held]) => [String(tree), [...held]] as const);
  const { token, credential } = await mintToken(tokens, {
    caller,
    privileges: [...caller.privileges],
    trees: Object.fromEntries(trees),
    expiresIn: LIFETIME_S,
    label: machine,
    form: "hf",
    // That a provider lets its person in is known only when the person comes from there.
    ...(person?.identity === undefined && { renewedMs: LIFETIME_S * 1000 }),
  });
  auditChange(c, { paths: [], details: { jti: credential.jti, label: machine } });
  return json(c, 200, { access_token: token, token_type: "Bearer", expires_in: LIFETIME_S });
}

/** @throws {AppError} `ErrNotPermitted` when the person may do nothing in any tree: neither could its machine. */
function requireRights({ privileges, trees }: Caller): void {
  const held = [privileges, ...trees?.values() ?? []];
  if (held.some((names) => names.size > 0)) return;
  throw new AppError(
    "ErrNotPermitted",
    "You may do nothing here yet, and neither could the machine: ask an administrator",
  );
}

/** `GET /console/logins/{code}`: the machine that waits with a code. */
export async function showDevice(c: Handled, parts: DeviceParts): Promise<Response> {
  await personOf(c, parts);
  const { machine, address, createdAt } = await findDevice(parts.passkeys.store, codeOf(c));
  const entry: DeviceEntry = { machine, address: address ?? null, created_at: isoTime(createdAt) };
  return success(c, entry);
}

/** `POST /console/logins/{code}`: approves or denies a machine. */
export async function decideDevice(c: Handled, parts: DeviceParts): Promise<Response> {
  const caller = await personOf(c, parts);
  const { approve } = await jsonBody(c.req.raw, DeviceDecision);
  if (approve) requireRights(caller);
  const { store } = parts.passkeys;
  const { userCode, machine } = await findDevice(store, codeOf(c));
  auditChange(c, { paths: [], details: { label: machine, approved: approve ? "yes" : "no" } });
  const person = approve ? caller.userId : undefined;
  if (await store.decideDevice(userCode, { person, now: Date.now() })) return success(c, null);
  throw new AppError("ErrLoginsNotFound", "Somebody else has decided about this machine");
}

function codeOf(c: Handled): string {
  return c.req.param("code") ?? "";
}

async function formOf(c: Handled): Promise<URLSearchParams> {
  const body = await new BodyReader(c.req.raw, "form", { maxBytes: MAX_FORM_BYTES }).readAll();
  return new URLSearchParams(new TextDecoder().decode(body));
}

/** An error in the form of RFC 6749, 5.2. */
function refuse(c: Handled, error: string, reason?: string): Response {
  return json(c, 400, { error, error_description: reason });
}

function json(c: Handled, status: number, value: unknown): Response {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return respond(c, bytes, status, { "Content-Type": "application/json" });
}
