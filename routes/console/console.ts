import type { Context, MiddlewareHandler } from "hono";
import { CONSOLE_API_PATH, CONSOLE_PATH } from "../../schemas/base_path.ts";
import type { ConsoleParts } from "../app.ts";
import { AppError } from "../../core/errors.ts";
import { failure } from "../reply/envelope.ts";
import { recordAudit, requireAudit } from "../serving/audit.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { takesGzip } from "../reply/gzip.ts";
import { respond } from "../reply/respond.ts";
import { type Asset, type Assets, buildAssets } from "./assets.ts";
import {
  authorizeDevice,
  decideDevice,
  DEVICE_PATH,
  type DeviceParts,
  deviceToken,
  showDevice,
} from "./devices.ts";
import { ConsoleCookie, PROVIDER_STEP } from "./cookie.ts";
import { requireConsole } from "./own_requests.ts";
import { namingEvent } from "./position.ts";
import { sessionHolder, showSession, signIn, signOut } from "./session.ts";
import {
  beginByProvider,
  finishByProvider,
  logoutByProvider,
  PROVIDER_PATH,
  type ProviderParts,
} from "./provider.ts";
import { endSession, listSessions } from "./sessions.ts";
import { limitSignIns } from "./sign_in_limit.ts";
import {
  beginPasskey,
  beginSignIn,
  deletePasskey,
  finishInvitation,
  finishPasskey,
  finishSignIn,
  listPasskeys,
  openInvitation,
  type PasskeyParts,
  showMeans,
} from "./passkeys.ts";

/** The route that a browser follows a link to, without the header of the console. It changes nothing. */
const NAVIGATED = "/resources/download";

/** What the page may do: load what this server has. Its code makes no markup of text. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // The images that a person looks at are made of what the console has read.
  "img-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  // The scanner's package makes the address of its worker with it.
  "trusted-types strongroom-scanner",
].join("; ");

/**
 * Adds the console for browsers (C 24): its page, its session, and the API under its own address.
 * See docs/design/console.md.
 */
export function serveConsole(parts: ConsoleParts): void {
  const { app, verify, callerOfPerson, publicUrl, serveApi } = parts;
  const session = `${CONSOLE_PATH}/session`;
  const guard = requireConsole(publicUrl, false);
  const signing: PasskeyParts = {
    ...parts,
    verify: (holder) => typeof holder === "string" ? verify(holder) : callerOfPerson(holder),
    people: parts.passkeys.people,
    cookie: new ConsoleCookie(publicUrl),
  };
  app.get(session, guard, (c) => showSession(c, signing));
  app.post(session, guard, (c) => signIn(c, signing));
  app.delete(session, guard, (c) => signOut(c, signing));
  app.get(`${CONSOLE_PATH}/sessions`, guard, (c) => listSessions(c, signing));
  app.delete(`${CONSOLE_PATH}/sessions/:name`, guard, (c) => endSession(c, signing));
  serveSignIn(parts, signing, guard);
  serveApi({
    base: CONSOLE_API_PATH,
    holderOf: (c) => sessionHolder(c, signing),
    guard: ({ method, path }) =>
      method === "GET" && path === NAVIGATED ? requireConsole(publicUrl, true) : guard,
    handlerOf: namingEvent,
  });
  let building: Promise<Assets> | undefined;
  // Made when a browser asks for them first.
  const assets = () => building ??= makeAssets(parts);
  // The address of a repository or commit, which clients of the hub print.
  for (const commit of ["", "/commit/:commit"]) {
    app.get(
      `/hub/:kind{models|datasets}/:ns/:name${commit}`,
      (c) => openRepository(c, publicUrl.path),
    );
  }
  app.get("/", async (c) => sendPage(c, await assets()));
  app.get(`${CONSOLE_PATH}/assets/:hash/:path{.+}`, async (c) => sendFile(c, await assets()));
}

/** How many steps of signing in an address may make in a minute. */
const MAX_STEPS = 60;
/** How many logouts of the provider, which all come from one address, and may not be lost. */
const MAX_LOGOUTS = 6000;
/** How many machines may begin to log in: they take places until people have decided. */
const MAX_MACHINES = 10;
/** How often those may ask whether they may. */
const MAX_POLLS = 600;

/** Adds the steps by which people sign in, and make passkeys (C 27). */
function serveSignIn(
  { app, audit, log, people, provider, publicUrl, tokens, callerOfPerson }: ConsoleParts,
  signing: PasskeyParts,
  guard: MiddlewareHandler<AppEnvironment>,
): void {
  const recorded = (name: string) => [
    recordAudit(audit, { name, isChange: true }),
    requireAudit(audit),
  ];
  const signIn = `${CONSOLE_PATH}/sign-in`;
  const invitation = `${CONSOLE_PATH}/invitation`;
  const passkeys = `${CONSOLE_PATH}/passkeys`;
  const limit = limitSignIns(MAX_STEPS);
  app.get(signIn, guard, limit, (c) => showMeans(c, { ...signing, provider }));
  if (provider !== undefined) {
    const given: ProviderParts = {
      ...signing,
      ...{ provider, publicUrl, log },
      register: people,
      steps: signing.passkeys.steps,
      stepCookie: new ConsoleCookie(publicUrl, PROVIDER_STEP),
    };
    app.post(PROVIDER_PATH, guard, limit, (c) => beginByProvider(c, given));
    app.get(
      `${PROVIDER_PATH}/callback`,
      limit,
      ...recorded("session.start"),
      (c) => finishByProvider(c, given),
    );
    app.post(
      `${PROVIDER_PATH}/logout`,
      limitSignIns(MAX_LOGOUTS),
      (c) => logoutByProvider(c, given),
    );
  }
  app.post(`${signIn}/passkey`, guard, limit, (c) => beginSignIn(c, signing));
  app.post(
    `${signIn}/passkey/answer`,
    guard,
    limit,
    ...recorded("session.start"),
    (c) => finishSignIn(c, signing),
  );
  app.post(invitation, guard, limit, (c) => openInvitation(c, signing));
  app.post(
    `${invitation}/answer`,
    guard,
    limit,
    ...recorded("passkey.add"),
    (c) => finishInvitation(c, signing),
  );
  const devices: DeviceParts = {
    ...signing,
    ...{ publicUrl, tokens, callerOfPerson },
    hasPeople: async () => provider !== undefined || await signing.passkeys.store.hasPasskeys(),
  };
  app.post(DEVICE_PATH, limitSignIns(MAX_MACHINES), (c) => authorizeDevice(c, devices));
  app.post(
    `${DEVICE_PATH}/token`,
    limitSignIns(MAX_POLLS),
    ...recorded("token.mint"),
    (c) => deviceToken(c, devices),
  );
  const login = `${CONSOLE_PATH}/logins/:code`;
  app.get(login, guard, (c) => showDevice(c, devices));
  app.post(login, guard, ...recorded("login.decide"), (c) => decideDevice(c, devices));
  app.get(passkeys, guard, (c) => listPasskeys(c, signing));
  app.post(passkeys, guard, (c) => beginPasskey(c, signing));
  app.post(
    `${passkeys}/answer`,
    guard,
    ...recorded("passkey.add"),
    (c) => finishPasskey(c, signing),
  );
  app.delete(
    `${passkeys}/:id`,
    guard,
    ...recorded("passkey.delete"),
    (c) => deletePasskey(c, signing),
  );
}

/** @throws {AppError} `ErrUnavailable` where the files of the console were not made. */
async function makeAssets(
  { publicUrl, readConsole, readScanner }: ConsoleParts,
): Promise<Assets> {
  const files = await readConsole();
  if (files !== undefined) {
    return buildAssets({ files, scanner: await readScanner() }, publicUrl.path);
  }
  throw new AppError(
    "ErrUnavailable",
    "The console could not be put together when this checkout was started: its log says why",
  );
}

/** Shows the directory of a repository in the caller's own tree. Addresses of other trees are not offered. */
function openRepository(c: Context<AppEnvironment>, base: string): Response {
  const { kind = "", ns = "", name = "" } = c.req.param();
  const path = [kind, ns, name].map(encodeURIComponent).join("/");
  return respond(c, null, 302, { Location: `${base}/#/files/${path}` });
}

function sendPage(c: Context<AppEnvironment>, { page }: Assets): Response {
  return sendAsset(c, page, {
    "Content-Security-Policy": PAGE_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
  });
}

function sendFile(c: Context<AppEnvironment>, { files }: Assets): Response {
  const file = files.get(c.req.path);
  if (file !== undefined) {
    return sendAsset(c, file, {
      "Cache-Control": "public, max-age=31536000, immutable",
      // For workers: they load and send nothing.
      "Content-Security-Policy": "default-src 'none'",
    });
  }
  return failure(c, { kind: "ErrRouteNotFound", message: "The console has no such file" });
}

function sendAsset(
  c: Context<AppEnvironment>,
  { type, bytes, gzip }: Asset,
  headers: Readonly<Record<string, string>>,
): Response {
  const isCompressed = takesGzip(c);
  return respond(c, isCompressed ? gzip : bytes, 200, {
    ...headers,
    "Content-Type": type,
    Vary: "Accept-Encoding",
    ...(isCompressed && { "Content-Encoding": "gzip" }),
  });
}
