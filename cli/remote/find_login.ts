import { remoteVariables } from "../environment.ts";
import { UsageError } from "../usage_error.ts";
import { givenCacert } from "./authority.ts";
import { type Login, readLogins } from "./login_file.ts";
import { apiUrl } from "./server_url.ts";

/**
 * The server that `--server` or the environment names, or else the default one of `strongroom login`, and the
 * credential for it.
 *
 * @param server The URL that `--server` names.
 * @throws {UsageError} when no server, or no credential for it, is known.
 */
export async function findLogin(server?: string): Promise<Login> {
  const login = await knownLogin(server);
  return { ...login, cacert: givenCacert() ?? login.cacert };
}

async function knownLogin(server: string | undefined): Promise<Login> {
  const { url, token } = remoteVariables();
  if (server !== undefined) apiUrl(server, "--server");
  const isNamed = server === undefined || url === undefined || isSame(server, url);
  if (token !== undefined && url !== undefined && isNamed) return { url, token };
  const logins = await readLogins();
  const named = server ?? url ?? logins[0]?.url;
  if (named === undefined) {
    throw new UsageError(
      "No server is known: run strongroom login URL, or set STRONGROOM_URL and STRONGROOM_TOKEN",
    );
  }
  if (token !== undefined && isNamed) return { url: named, token };
  // A credential is for the server that it was kept for alone.
  const kept = logins.find((login) => isSame(login.url, named));
  if (kept !== undefined) return kept;
  const source = server === undefined ? "STRONGROOM_URL" : "--server";
  throw new UsageError(
    `No credential for the server at ${source}: run strongroom login URL, or set STRONGROOM_TOKEN`,
  );
}

function isSame(url: string, other: string): boolean {
  return apiUrl(url, "URL of the server") === apiUrl(other, "URL of the server");
}
