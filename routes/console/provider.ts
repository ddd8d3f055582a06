import type { Context } from "hono";
import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import { providedPerson } from "../../core/people/provided_person.ts";
import type { Provider } from "../../core/people/provider.ts";
import type { Steps } from "../../core/people/steps.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import { ProviderStep, type SignInFailure } from "../../schemas/sign_in.ts";
import { BodyReader } from "../request/body.ts";
import { success } from "../reply/envelope.ts";
import { addHeader, respond } from "../reply/respond.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { PublicUrl } from "../serving/public_url.ts";
import type { ConsoleCookie } from "./cookie.ts";
import { openSessionFor, type SessionParts } from "./session.ts";

type Handled = Context<AppEnvironment>;

/** Where the provider sends the browser back to, and what ends sessions. */
export const PROVIDER_PATH = `${CONSOLE_PATH}/sign-in/provider`;
/** The most bytes of a request that ends sessions. */
const MAX_LOGOUT_BYTES = 16 * 1024;

export interface ProviderParts extends SessionParts {
  readonly provider: Provider;
  readonly register: PeopleStore;
  readonly steps: Steps;
  /** Keeps what a sign-in has to know in the browser that has begun it: no other one can end it. */
  readonly stepCookie: ConsoleCookie;
  readonly publicUrl: PublicUrl;
}

/** `POST /console/sign-in/provider`: where the browser is to go (C 27). */
export async function beginByProvider(c: Handled, parts: ProviderParts): Promise<Response> {
  const { url, step } = await parts.provider.begin(redirectUri(c, parts));
  addHeader(c, "Set-Cookie", parts.stepCookie.keep(c, await parts.steps.begin("provider", step)));
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
    const said = await parts.provider.finish(address, v.parse(ProviderStep, data));
    const person = await providedPerson(parts.register, said);
    const { cookie } = await openSessionFor(c, parts, {
      userId: person.number,
      means: "provider",
      providerSession: said.session,
    });
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
      await parts.sessions.endOfProvider({ userId: person?.number, providerSession: session });
    }
    return respond(c, null, 200);
  } catch (error) {
    // The provider is told by the status that its standard has for it.
    if (!(error instanceof AppError && error.kind === "ErrAuthRequired")) throw error;
    throw new AppError("ErrResourcesInvalidRequest", error.message, { cause: error });
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
