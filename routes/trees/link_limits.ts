import type { MiddlewareHandler } from "hono";
import { RetryLater } from "../../core/errors.ts";
import { RateLimit } from "../../core/rate_limit.ts";
import { Semaphore } from "../../core/semaphore.ts";
import { networkOf } from "../request/client_address.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { linkTokenOf } from "./hidden_link.ts";
import { whenDelivered } from "../serving/turns.ts";

/** How many requests an address may make in a minute, with any tokens. */
const MAX_REQUESTS_OF_ADDRESS = 120;
/** How many requests a link may have in a minute. */
const MAX_REQUESTS_OF_LINK = 600;
/** How many are served at once: of all links, of one address, of one link. */
const MAX_AT_ONCE = 32;
const MAX_AT_ONCE_OF_ADDRESS = 8;
const MAX_AT_ONCE_OF_LINK = 16;
/** When to try again if too many are served. */
const RETRY_AFTER_S = 10;
/** Longer tokens belong to no link. */
const MAX_TOKEN_LENGTH = 22;

/**
 * Bounds what clients without a credential have of the server (C 22). Their transfers are counted apart
 * from those of users, who therefore do not wait for them.
 * See docs/design/links.md.
 */
export class LinkLimits {
  readonly #ofAddress: RateLimit<string>;
  readonly #ofLink: RateLimit<string>;
  readonly #addresses = new Semaphore<string>(MAX_AT_ONCE, MAX_AT_ONCE_OF_ADDRESS);
  readonly #links = new Semaphore<string>(MAX_AT_ONCE, MAX_AT_ONCE_OF_LINK);

  /** @param now The time in milliseconds. @default that of a monotonic clock */
  constructor(now?: () => number) {
    this.#ofAddress = new RateLimit(MAX_REQUESTS_OF_ADDRESS, now);
    this.#ofLink = new RateLimit(MAX_REQUESTS_OF_LINK, now);
  }

  /**
   * Counts a request. Dispose of the result when its reply has been read.
   *
   * @throws {RetryLater} when it is one too many.
   */
  take(address: string, token: string): Disposable {
    this.#ofAddress.count(address);
    this.#ofLink.count(token);
    using permits = new DisposableStack();
    const hold = (permit: Disposable | undefined) => {
      if (permit !== undefined) return permits.use(permit);
      throw new RetryLater("ErrTooManyRequests", "Too many downloads at once", RETRY_AFTER_S);
    };
    hold(this.#addresses.tryAcquire(address));
    hold(this.#links.tryAcquire(token));
    return permits.move();
  }
}

/** Middleware that serves a request for a link within its limits. */
export function limitLinks(limits: LinkLimits): MiddlewareHandler<AppEnvironment> {
  return async function limitLinks(c, next) {
    const token = await linkTokenOf(c);
    c.set("linkToken", token);
    const network = networkOf(c.get("address") ?? "");
    await whenDelivered(c, limits.take(network, token.slice(0, MAX_TOKEN_LENGTH)), next);
  };
}
