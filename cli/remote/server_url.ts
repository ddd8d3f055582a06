import { BASE_PATH } from "../../schemas/base_path.ts";
import { UsageError } from "../usage_error.ts";

/**
 * The URL of the API of a server, without a slash at its end. People may give it, or that of the server,
 * which a proxy may serve below a path.
 *
 * @param source Names where the URL is from, for messages.
 * @throws {UsageError} when it is not the URL of a server.
 */
export function apiUrl(given: string, source: string): string {
  const url = URL.parse(given);
  const isHttp = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === null || !isHttp || url.username + url.password + url.search + url.hash !== "") {
    // A user name or password in it is not repeated.
    throw new UsageError(
      `Invalid ${source}: expected the URL of a server, such as https://files.example`,
    );
  }
  const segments = url.pathname.split("/").filter((it) => it !== "");
  const root = [url.origin, ...segments].join("/");
  return root.endsWith(BASE_PATH) ? root : root + BASE_PATH;
}

/** The URL of a server without the part that is the same for all. */
export function serverUrl(api: string): string {
  return api.slice(0, -BASE_PATH.length);
}
