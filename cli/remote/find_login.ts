import { remoteVariables } from "../environment.ts";
import { UsageError } from "../usage_error.ts";
import { type Login, readLogin } from "./login_file.ts";
import { apiUrl } from "./server_url.ts";

/**
 * The server and the credential that the environment names, or else those of `strongroom login`.
 *
 * @throws {UsageError} when no server, or no credential for it, is known.
 */
export async function findLogin(): Promise<Login> {
  const { url, token } = remoteVariables();
  if (url !== undefined && token !== undefined) return { url, token };
  const kept = await readLogin();
  const server = url ?? kept?.url;
  if (server === undefined) {
    throw new UsageError(
      "No server is known: run strongroom login URL, or set STRONGROOM_URL and STRONGROOM_TOKEN",
    );
  }
  if (token !== undefined) return { url: server, token };
  // A credential is for the server that it was kept for alone.
  const isKept = kept !== undefined &&
    apiUrl(server, "STRONGROOM_URL") === apiUrl(kept.url, "login");
  if (isKept) return kept;
  throw new UsageError(
    "No credential for the server at STRONGROOM_URL: run strongroom login URL, or set STRONGROOM_TOKEN",
  );
}
