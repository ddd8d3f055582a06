import { createHash } from "node:crypto";
import type { Context } from "hono";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import type { AppEnvironment } from "../environment.ts";
import type { PublicOrigin } from "../public_origin.ts";

type Handled = Context<AppEnvironment>;

/**
 * The cookie that keeps the key of a session until the browser ends (C 24). Servers on other ports of the host
 * see it, too, so each server has a name of its own (C 31).
 */
export class ConsoleCookie {
  readonly #publicOrigin: PublicOrigin;

  constructor(publicOrigin: PublicOrigin) {
    this.#publicOrigin = publicOrigin;
  }

  /** `Set-Cookie` that keeps a key. */
  keep(c: Handled, key: string): string {
    return this.#set(c, key, "");
  }

  /** `Set-Cookie` that removes the cookie. */
  remove(c: Handled): string {
    return this.#set(c, "", "; Max-Age=0");
  }

  /** The keys in the cookies of a request: several if a neighbor domain has added one. */
  keys(c: Handled): readonly string[] {
    const start = `${this.#nameAndPath(c).name}=`;
    return (c.req.header("Cookie") ?? "").split(";").map((pair) => pair.trim())
      .filter((pair) => pair.startsWith(start))
      .map((pair) => pair.slice(start.length));
  }

  #set(c: Handled, value: string, more: string): string {
    const { name, path, isSecure } = this.#nameAndPath(c);
    const secure = isSecure ? "; Secure" : "";
    return `${name}=${value}; Path=${path}; HttpOnly; SameSite=Strict${secure}${more}`;
  }

  #nameAndPath(c: Handled) {
    const origin = this.#publicOrigin.of(c);
    const own = createHash("sha256").update(origin).digest("hex").slice(0, 8);
    const name = `strongroom_console_${own}`;
    // Browsers take a name with this prefix from no neighbor domain, and only with this path. The API ignores cookies.
    return origin.startsWith("https:")
      ? { name: `__Host-${name}`, path: "/", isSecure: true }
      : { name, path: CONSOLE_PATH, isSecure: false };
  }
}
