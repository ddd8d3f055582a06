import type { HeaderSource } from "../request/conditional.ts";

/**
 * The headers of a request, by their names in any case. They are copied once: those of the runtime take some
 * microseconds each time, and a request of S3 looks for dozens.
 */
export class RequestHeaders implements HeaderSource {
  readonly #values = new Map<string, string>();

  constructor(headers: Headers) {
    headers.forEach((value, name) => this.#values.set(name, value));
  }

  get(name: string): string | null {
    return this.#values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.#values.has(name.toLowerCase());
  }

  /** All names, in lower case. */
  names(): Iterable<string> {
    return this.#values.keys();
  }

  /** All headers, with their names in lower case. */
  [Symbol.iterator](): Iterator<[name: string, value: string]> {
    return this.#values[Symbol.iterator]();
  }
}
