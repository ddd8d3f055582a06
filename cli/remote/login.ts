import { Buffer } from "node:buffer";
import * as v from "valibot";
import { NewTokenEntry } from "../../schemas/tokens.ts";
import { printable } from "../../schemas/printable.ts";
import { parseArguments, parseOptions } from "../arguments.ts";
import { print } from "../print.ts";
import { UsageError } from "../usage_error.ts";
import { givenCacert } from "./authority.ts";
import { Connection, expiryOf } from "./connection.ts";
import { type Login, loginPath, readLogins, writeLogins } from "./login_file.ts";
import { loginByBrowser } from "./device_login.ts";
import { readToken } from "./read_token.ts";
import { RemoteError } from "./remote_error.ts";
import { apiUrl, serverUrl } from "./server_url.ts";

/** The option of `login` that keeps a short credential in place of the given one. */
const SHORT = "--hf";

/** `strongroom login`: keeps servers and credentials for them, lists them, or makes one the default (C 25). */
export async function run(args: string[]): Promise<number> {
  const [command, ...others] = args;
  switch (command) {
    case "list":
      return await list(others);
    case "use":
      return await use(others);
    default:
      return await login(args);
  }
}

async function login(args: readonly string[]): Promise<number> {
  const url = serverUrl(loginUrl("login", args));
  const cacert = givenCacert();
  const given = await givenOrApproved(url, cacert);
  await checkCredential(new Connection({ url, token: given, cacert }));
  const isShort = args.includes(SHORT);
  const token = isShort ? await shortFor({ url, token: given, cacert }) : given;
  const others = (await readLogins()).filter((it) => it.url !== url);
  await writeLogins([{ url, token, cacert }, ...others]);
  print(`Logged in to ${url}${validity(token)}; the credential is kept in ${loginPath()}`);
  print(
    `Model hub clients: export HF_ENDPOINT=${url}/hub HF_HUB_DISABLE_XET=1 (no xet here)`,
  );
  if (isShort) print(`Those that take no other credential: export HF_TOKEN=${token}`);
  return 0;
}

/** The credential on stdin, or else the one that the person has the server make in a browser (C 27). */
async function givenOrApproved(url: string, cacert: string | undefined): Promise<string> {
  const piped = Deno.stdin.isTerminal() ? "" : await readToken();
  if (piped !== "") return piped;
  const approved = await loginByBrowser({ url, cacert });
  if (approved !== undefined) return approved;
  const typed = Deno.stdin.isTerminal() ? await readToken() : "";
  if (typed !== "") return typed;
  throw new UsageError("A credential is expected on stdin");
}

/** A short credential that permits what the given one does, which the server mints with it (C 31). */
async function shortFor(given: Login): Promise<string> {
  const claims = v.safeParse(Held, payloadOf(given.token));
  // It is a short one already.
  if (!claims.success) return given.token;
  const value = { ...claims.output, short: true, label: "strongroom login" };
  const minted = await new Connection(given).json(NewTokenEntry, "POST", "/tokens/", { value });
  return minted.token;
}

/** What a credential permits, as its claims state it. */
const Held = v.object({
  privileges: v.array(v.string()),
  trees: v.optional(v.record(v.string(), v.array(v.string()))),
});

/** The claims of a signed credential, unverified. */
function payloadOf(token: string): unknown {
  const [, payload = ""] = token.split(".");
  return payload === "" ? undefined : JSON.parse(Buffer.from(payload, "base64url").toString());
}

async function list(args: string[]): Promise<number> {
  parseOptions(args, {});
  for (const [index, { url, token }] of (await readLogins()).entries()) {
    print(`${printable(url)}${validity(token)}${index === 0 ? ", the default" : ""}`);
  }
  return 0;
}

/** Makes a login the default. */
async function use(args: readonly string[]): Promise<number> {
  const url = serverUrl(loginUrl("login use", args));
  const logins = await readLogins();
  const found = logins.filter((it) => it.url === url);
  if (found.length === 0) {
    throw new UsageError(`There is no login for ${url}: strongroom login list`);
  }
  await writeLogins([...found, ...logins.filter((it) => it.url !== url)]);
  print(`Commands use ${url} now`);
  return 0;
}

/** Until when a credential is valid, if it says so itself. */
function validity(token: string): string {
  const expiry = expiryOf(token);
  return expiry === undefined ? "" : ` until ${new Date(expiry).toISOString()}`;
}

/** The URL of the API of the server that the arguments of a command name. */
export function loginUrl(command: string, args: readonly string[]): string {
  const { positionals } = parseArguments({
    args: [...args],
    options: command === "login" ? { hf: { type: "boolean" } } : {},
    strict: true,
    allowPositionals: true,
  });
  const [url, ...others] = positionals;
  if (url === undefined || others.length > 0) {
    throw new UsageError(
      `${command} needs one argument: the URL of a server, such as https://files.example`,
    );
  }
  return apiUrl(url, "URL");
}

/** Asks the server whether it accepts the credential. One that permits little is accepted as well. */
async function checkCredential(connection: Connection): Promise<void> {
  try {
    await (await connection.request("GET", "/usage/")).body?.cancel();
  } catch (error) {
    if (!(error instanceof RemoteError && error.kind === "ErrNotPermitted")) throw error;
  }
}
