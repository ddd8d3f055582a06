import { createHash } from "node:crypto";
import type { Context } from "hono";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import type { AppEnvironment } from "../request/environment.ts";
import type { PublicUrl } from "../serving/public_url.ts";

type Handled = Context<AppEnvironment>;

interface CookieKind {
  readonly name: string;
  readonly sameSite: "Strict" | "Lax";
  /** In seconds. @default until the browser ends */
  readonly maxAge?: number;
}

/** Keeps the key of a session. */
const SESSION: CookieKind = { name: "console", sameSite: "Strict" };

/** Keeps what a sign-in by the provider has to know: browsers send it when the provider sends them back. */
export const PROVIDER_STEP: CookieKind = { name: "provider", sameSite: "Lax", maxAge: 600 };

/**
 * A cookie of the console (C 24). Servers on other ports of the host see it, too, so each server has a name of
 * its own (C 31).
 */
export class ConsoleCookie {
  readonly #publicUrl: PublicUrl;
  readonly #kind: CookieKind;

  /** @default the one that keeps the key of a session until the browser ends */
  constructor(publicUrl: PublicUrl, kind = SESSION) {
    this.#publicUrl = publicUrl;
    this.#kind = kind;
  }

  /** `Set-Cookie` that keeps a key. */
  keep(c: Handled, key: string): string {
    const { maxAge } = this.#kind;
    return this.#set(c, key, maxAge === undefined ? "" : `; Max-Age=${maxAge}`);
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
    return `${name}=${value}; Path=${path}; HttpOnly; SameSite=${this.#kind.sameSite}${secure}${more}`;
  }

  #nameAndPath(c: Handled) {
    const url = this.#publicUrl.for(c);
    const own = createHash("sha256").update(url).digest("hex").slice(0, 8);
    const name = `strongroom_${this.#kind.name}_${own}`;
    const path = this.#publicUrl.path + CONSOLE_PATH;
    if (url.startsWith("http:")) return { name, path, isSecure: false };
    // Browsers take the first prefix from no neighbor domain, and only with this path; other programs may share
    // the host otherwise. The API ignores cookies.
    return this.#publicUrl.path === ""
      ? { name: `__Host-${name}`, path: "/", isSecure: true }
      : { name: `__Secure-${name}`, path, isSecure: true };
  }
}
