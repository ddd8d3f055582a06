import type { Result, Router } from "hono/router";
import { RegExpRouter } from "hono/router/reg-exp-router";
import { SmartRouter } from "hono/router/smart-router";
import { TrieRouter } from "hono/router/trie-router";

/**
 * Routes below some prefixes apart from all others. Those of the hub, of S3 and of WebDAV need a router that
 * takes twenty times as long as the one that serves the others.
 */
export class SplitRouter<T> implements Router<T> {
  readonly name = "SplitRouter";
  readonly #prefixes: readonly string[];
  readonly #below = new TrieRouter<T>();
  readonly #others = new SmartRouter<T>({ routers: [new RegExpRouter(), new TrieRouter()] });

  constructor(prefixes: readonly string[]) {
    this.#prefixes = prefixes;
  }

  add(method: string, path: string, handler: T): void {
    const isBelow = this.#isBelow(path);
    const isMiddleware = path === "/*" || path === "*";
    if (isBelow || isMiddleware) this.#below.add(method, path, handler);
    if (!isBelow) this.#others.add(method, path, handler);
  }

  match(method: string, path: string): Result<T> {
    return (this.#isBelow(path) ? this.#below : this.#others).match(method, path);
  }

  #isBelow(path: string): boolean {
    return this.#prefixes.some((prefix) => path.startsWith(prefix));
  }
}
