import { lookup, type LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { AppError, quoted } from "../../core/errors.ts";
import { pause } from "../../core/event_loop.ts";
import { UpstreamAway } from "../../core/mirror/ports.ts";
import { urlAuthority } from "../../schemas/url_authority.ts";
import { Breaker } from "./breaker.ts";
import { isPublicAddress } from "./public_address.ts";
import { failureOf, HostAway } from "./replies.ts";

/** Finds the IP addresses of a host. */
export type ResolveHost = (host: string, port: number) => Promise<readonly string[]>;

export interface RequestOptions {
  /** The credential for the other hub. @default none */
  readonly token?: string | undefined;
  /** Host and port of each server that may be asked, the other hub first. */
  readonly authorities: readonly string[];
  /** @default the resolver of the system */
  readonly resolveHost?: ResolveHost | undefined;
  /** How long the other hub may take to begin its answer, in milliseconds. @default 20 s */
  readonly timeoutMs?: number | undefined;
  /** The first pause before a request is sent again, in milliseconds; each is twice the one before. @default 500 ms */
  readonly retryMs?: number | undefined;
  /** For how long nothing is sent after failures in a row, in milliseconds. @default 30 s */
  readonly restMs?: number | undefined;
}

interface GetOptions {
  readonly signal: AbortSignal;
  readonly range?: string | undefined;
}

const TIMEOUT_MS = 20_000;
const RETRY_MS = 500;
const ATTEMPTS = 3;
const MAX_REDIRECTS = 5;
/** It is asked again at once, so to say, if it wants to be asked again within this time. */
const MAX_WAIT_S = 3;

/**
 * Sends requests to the other hub, and to the hosts that it redirects to if they are allowed (C 28).
 * See docs/design/mirror.md.
 */
export class UpstreamRequests {
  readonly #url: URL;
  readonly #options: RequestOptions;
  readonly #breaker: Breaker;

  constructor(url: string, options: RequestOptions) {
    this.#url = new URL(url);
    this.#options = options;
    this.#breaker = new Breaker(options.restMs);
  }

  /** Until when nothing is sent, in milliseconds since the Unix epoch. Undefined if it may be. */
  get restsUntil(): number | undefined {
    const { restMs } = this.#breaker;
    return restMs > 0 ? Math.ceil(Date.now() + restMs) : undefined;
  }

  /**
   * Gets an address of the other hub: one below its URL, or a whole one. The caller reads the body to its end, or
   * cancels it.
   *
   * @throws {AppError} as the other hub refuses it, or `ErrUnavailable` when it redirects to what is not allowed.
   * @throws {UpstreamAway} also when the signal is one of `AbortSignal.timeout`, and aborts.
   */
  async get(address: string, options: GetOptions): Promise<Response> {
    try {
      return await this.#attempt(address, options);
    } catch (error) {
      const isLate = error instanceof DOMException && error.name === "TimeoutError";
      if (!isLate || error !== options.signal.reason) throw error;
      this.#breaker.failed(0);
      throw new UpstreamAway(`${this.#url.host} takes too long`, undefined, { cause: error });
    }
  }

  async #attempt(address: string, { signal, range }: GetOptions): Promise<Response> {
    const url = this.#addressOf(address);
    for (let attempt = 1;; attempt++) {
      this.#breaker.requireClosed(this.#url.host);
      try {
        const response = await this.#follow(url, signal, range);
        this.#breaker.succeeded();
        return response;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof UpstreamAway)) {
          this.#breaker.succeeded();
          throw error;
        }
        const { retryAfterS = 0 } = error;
        if (attempt === ATTEMPTS || retryAfterS > MAX_WAIT_S) {
          this.#count(error);
          throw error;
        }
        const { retryMs = RETRY_MS } = this.#options;
        await pause(Math.max(retryAfterS * 1000, retryMs * 2 ** (attempt - 1)), signal);
      }
    }
  }

  /** Others go on asking the other hub if it is another host, or a single file, that has failed. */
  #count(error: UpstreamAway): void {
    if (error instanceof HostAway && error.host === this.#url.host) {
      this.#breaker.failed(error.retryAfterS ?? 0);
    } else {
      this.#breaker.succeeded();
    }
  }

  #addressOf(address: string): URL {
    if (address.startsWith("/")) return new URL(this.#url.href.replace(/\/$/, "") + address);
    const url = new URL(address);
    if (url.origin === this.#url.origin) return url;
    throw notAllowed(url, "it has another origin than STRONGROOM_MIRROR_URL");
  }

  /** Follows redirects by itself, as each must be allowed. */
  async #follow(start: URL, signal: AbortSignal, range: string | undefined): Promise<Response> {
    let url = start;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const response = await this.#send(url, signal, range);
      const location = response.headers.get("Location");
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
        if (response.ok) return response;
        throw await failureOf(response, url);
      }
      await response.body?.cancel();
      url = await this.#redirected(url, location);
    }
    throw new UpstreamAway(`${this.#url.host} redirects more than ${MAX_REDIRECTS} times`);
  }

  async #redirected(from: URL, location: string): Promise<URL> {
    const url = URL.parse(location, from);
    if (url === null) throw new UpstreamAway(`${from.host} redirects to no address`);
    if (url.protocol !== this.#url.protocol) throw notAllowed(url, "its scheme is another one");
    if (!this.#options.authorities.includes(urlAuthority(url.href))) {
      throw notAllowed(url, "its host is not one of STRONGROOM_MIRROR_HOSTS");
    }
    if (
      url.host !== this.#url.host && await this.#isPublic(this.#url) && !await this.#isPublic(url)
    ) {
      throw notAllowed(url, "its address is not public");
    }
    return url;
  }

  /** Whether all addresses of a host are public. */
  async #isPublic({ hostname, port, protocol }: URL): Promise<boolean> {
    const host = hostname.replace(/^\[(.*)\]$/, "$1");
    if (isIP(host) !== 0) return isPublicAddress(host);
    const { resolveHost = addressesOf } = this.#options;
    try {
      const found = await resolveHost(host, Number(port || (protocol === "https:" ? 443 : 80)));
      return found.length > 0 && found.every(isPublicAddress);
    } catch (error) {
      throw new UpstreamAway(`The address of ${host} cannot be found`, undefined, { cause: error });
    }
  }

  async #send(url: URL, signal: AbortSignal, range: string | undefined): Promise<Response> {
    const { token, timeoutMs = TIMEOUT_MS } = this.#options;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), timeoutMs);
    const isOwn = url.host === this.#url.host;
    try {
      return await fetch(url, {
        redirect: "manual",
        signal: AbortSignal.any([signal, late.signal]),
        headers: {
          // What is compressed has no ranges.
          "Accept-Encoding": "identity",
          "User-Agent": "strongroom",
          ...(range !== undefined && { Range: range }),
          ...(token !== undefined && isOwn && { Authorization: `Bearer ${token}` }),
        },
      });
    } catch (error) {
      signal.throwIfAborted();
      const problem = late.signal.aborted
        ? `does not answer within ${timeoutMs / 1000} s`
        : "cannot be reached";
      throw new HostAway(url.host, problem, undefined, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The permission of the runtime has a port, so the lookup must have it, too: only this form of it (2.9.6) does. */
function addressesOf(host: string, port: number): Promise<string[]> {
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  const options = { all: true, port } as const;
  lookup(host, options, (error: Error | null, found: LookupAddress[]) => {
    if (error === null) resolve(found.map(({ address }) => address));
    else reject(error);
  });
  return promise;
}

function notAllowed({ host, protocol }: URL, reason: string): AppError {
  return new AppError(
    "ErrUnavailable",
    `The other hub refers to ${quoted(`${protocol}//${host}`)}, which is not allowed: ${reason}`,
  );
}
