import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * Routes below a prefix apart from all others. Those of the hub need a router that takes twenty times as
 * long as the one that serves the others.
 */
export class SplitRouter<T> implements Router<T> {
  readonly name = "SplitRouter";
  readonly #prefix: string;
  readonly #below = new TrieRouter<T>();
  readonly #others = new SmartRouter<T>({ routers: [new RegExpRouter(), new TrieRouter()] });

  /** @param prefix Ends with a slash. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  add(method: string, path: string, handler: T): void {
    const isBelow = path.startsWith(this.#prefix);
    const isMiddleware = path === "/*" || path === "*";
    if (isBelow || isMiddleware) this.#below.add(method, path, handler);
    if (!isBelow) this.#others.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    return (path.startsWith(this.#prefix) ? this.#below : this.#others).match(method, path);
  }
}
