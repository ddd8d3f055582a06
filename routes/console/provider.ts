import type { Context } from "hono";
import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { personDetails } from "../../core/people/entries.ts";
import { providedPerson } from "../../core/people/provided_person.ts";
import { type Provider, reasonOf } from "../../core/people/provider.ts";
import type { Steps } from "../../core/people/steps.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import { KeptProviderStep, type SignInFailure } from "../../schemas/sign_in.ts";
import { BodyReader } from "../request/body.ts";
import { success } from "../reply/envelope.ts";
import { addHeader, respond } from "../reply/respond.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { recordBesides } from "../serving/audit.ts";
import type { PublicUrl } from "../serving/public_url.ts";
import type { ConsoleCookie } from "./cookie.ts";
import { openSessionFor, type SessionParts } from "./session.ts";

type Handled = Context<AppEnvironment>;

/** Where the provider sends the browser back to, and what ends sessions. */
export const PROVIDER_PATH = `${CONSOLE_PATH}/sign-in/provider`;
/** The most bytes of a request that ends sessions. */
const MAX_LOGOUT_BYTES = 16 * 1024;
/** The most sessions of a browser that a sign-in ends: more cookies than one are not the console's. */
const MAX_FORMER = 4;

export interface ProviderParts extends SessionParts {
  readonly provider: Provider;
  readonly register: PeopleStore;
  readonly steps: Steps;
  /** Keeps what a sign-in has to know in the browser that has begun it: no other one can end it. */
  readonly stepCookie: ConsoleCookie;
  readonly publicUrl: PublicUrl;
  readonly log: Log;
}

/** `POST /console/sign-in/provider`: where the browser is to go (C 27). */
export async function beginByProvider(c: Handled, parts: ProviderParts): Promise<Response> {
  const { url, step } = await explained(c, parts, (it) => it.begin(redirectUri(c, parts)));
  // A browser that comes back from elsewhere does not send the cookie of its session.
  const kept = { ...step, former: parts.cookie.keys(c).slice(0, MAX_FORMER) };
  addHeader(c, "Set-Cookie", parts.stepCookie.keep(c, await parts.steps.begin("provider", kept)));
  return success(c, { url });
}

/**
 * `GET /console/sign-in/provider/callback`: the browser comes back. It shows the console in any case, as a person
 * looks at it.
 */
export async function finishByProvider(c: Handled, parts: ProviderParts): Promise<Response> {
  const { publicUrl } = parts;
  try {
    const [sealed, other] = parts.stepCookie.keys(c);
    if (sealed === undefined || other !== undefined) {
      throw new AppError("ErrAuthRequired", "This browser has not begun to sign in");
    }
    const { data } = await parts.steps.end("provider", sealed);
    const address = new URL(redirectUri(c, parts) + new URL(c.req.url).search);
    const { former, ...step } = v.parse(KeptProviderStep, data);
    const said = await explained(c, parts, (it) => it.finish(address, step));
    const { person, change } = await providedPerson(parts.register, said);
    const { number: userId } = person;
    if (change !== undefined) {
      const details = { ...personDetails(person), by: "provider" };
      await recordBesides(c, parts.audit, userId, { action: `users.${change}`, details });
    }
    const begun = { userId, means: "provider", providerSession: said.session } as const;
    const { cookie } = await openSessionFor(c, parts, begun, former);
    return respond(c, null, 302, {
      Location: `${publicUrl.path}/`,
      "Set-Cookie": cookie,
    });
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    c.set("failure", error);
    const failure = failureOf(error);
    return respond(c, null, 302, {
      Location: `${publicUrl.path}/#/sign-in/${failure}`,
      "Set-Cookie": parts.stepCookie.remove(c),
    });
  }
}

/** `POST /console/sign-in/provider/logout`: the provider ends sessions (OpenID Connect Back-Channel Logout). */
export async function logoutByProvider(c: Handled, parts: ProviderParts): Promise<Response> {
  const body = await new BodyReader(c.req.raw, "form", { maxBytes: MAX_LOGOUT_BYTES }).readAll();
  const token = new URLSearchParams(new TextDecoder().decode(body)).get("logout_token") ?? "";
  try {
    const { identity, session } = await parts.provider.logout(token);
    const person = identity && await parts.register.findByIdentity(identity);
    if (identity === undefined || person !== undefined) {
      const begun = { userId: person?.number, providerSession: session };
      for (const userId of await parts.sessions.endOfProvider(begun)) {
        const entry = { action: "session.end", details: { by: "provider" } };
        await recordBesides(c, parts.audit, userId, entry);
      }
    }
    return respond(c, null, 200);
  } catch (error) {
    // The provider is told by the status that its standard has for it.
    if (!(error instanceof AppError && error.kind === "ErrAuthRequired")) throw error;
    throw new AppError("ErrResourcesInvalidRequest", error.message, { cause: error });
  }
}

/** Asks the provider. The log says why that fails; others are told less. */
async function explained<T>(
  c: Handled,
  { provider, log }: ProviderParts,
  ask: (provider: Provider) => Promise<T>,
): Promise<T> {
  try {
    return await ask(provider);
  } catch (error) {
    if (error instanceof AppError && error.cause instanceof Error) {
      log.warn(error.message, { request: c.get("requestId"), cause: reasonOf(error.cause) });
    }
    throw error;
  }
}

function redirectUri(c: Handled, { publicUrl }: ProviderParts): string {
  return `${publicUrl.for(c)}${PROVIDER_PATH}/callback`;
}

function failureOf({ kind }: AppError): SignInFailure {
  switch (kind) {
    case "ErrNotPermitted":
      return "disabled";
    case "ErrUnavailable":
      return "unavailable";
    default:
      return "refused";
  }
}
