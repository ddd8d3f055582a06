import * as v from "valibot";
import { printable } from "../../schemas/printable.ts";
import { printError } from "../print_error.ts";
import { UsageError } from "../usage_error.ts";
import { httpClient } from "./authority.ts";
import { openBrowser } from "./browser.ts";
import { readJson } from "./reply.ts";

const GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const CLIENT = "strongroom";

const Waiting = v.object({
  device_code: v.string(),
  user_code: v.string(),
  verification_uri: v.string(),
  verification_uri_complete: v.string(),
  interval: v.pipe(v.number(), v.minValue(1), v.maxValue(60)),
  expires_in: v.pipe(v.number(), v.minValue(1)),
});
const Token = v.object({ access_token: v.string() });
const Refusal = v.object({ error: v.string(), error_description: v.optional(v.string()) });

/**
 * Logs this machine in by a browser: its person enters a code there, or follows a link (RFC 8628). Returns the
 * credential, or undefined if the server has no people who could approve it.
 *
 * @param url The URL of the server.
 * @throws {UsageError} when the person refuses, or does nothing for too long.
 */
export async function loginByBrowser(
  { url, cacert }: { readonly url: string; readonly cacert: string | undefined },
): Promise<string | undefined> {
  const client = await httpClient(cacert);
  const post = async (path: string, form: Readonly<Record<string, string>>) => {
    const response = await fetch(`${url}/console/device${path}`, {
      method: "POST",
      body: new URLSearchParams({ client_id: CLIENT, ...form }),
      redirect: "manual",
      ...client !== undefined && { client },
    });
    return await readJson(response).catch(() => undefined);
  };
  // A server that cannot be reached is reported with the credential.
  const asked = await post("", { machine: machineName() }).catch(() => undefined);
  const waiting = v.safeParse(Waiting, asked);
  if (!waiting.success) return undefined;
  const { device_code, user_code, verification_uri, verification_uri_complete } = waiting.output;
  const { interval, expires_in: lifetime } = waiting.output;
  const isOpened = openBrowser(verification_uri_complete, url);
  const shown = printable(verification_uri_complete);
  printError(isOpened ? `Your browser opens ${shown}` : `Open ${shown}`);
  printError(`or enter the code ${printable(user_code)} at ${printable(verification_uri)}`);
  for (let waited = 0; waited < lifetime; waited += interval) {
    await new Promise((resolve) => setTimeout(resolve, interval * 1000));
    // What is lost on the way is asked for again.
    const reply = await post("/token", { grant_type: GRANT, device_code }).catch(() => undefined);
    const token = v.safeParse(Token, reply);
    if (token.success) return token.output.access_token;
    const refusal = v.safeParse(Refusal, reply);
    if (!refusal.success) continue;
    const { error, error_description: reason } = refusal.output;
    switch (error) {
      case "authorization_pending":
      case "slow_down":
        continue;
      case "access_denied":
        throw new UsageError(
          reason === undefined
            ? "The login was refused in the browser"
            : `Cannot log in: ${printable(reason)}`,
        );
      default:
        throw tooLate();
    }
  }
  throw tooLate();
}

function tooLate(): UsageError {
  return new UsageError("The login was not approved in time: run it again");
}

/** What this machine is called, as far as the system says it. */
function machineName(): string {
  try {
    return Deno.hostname();
  } catch {
    return "a machine";
  }
}
