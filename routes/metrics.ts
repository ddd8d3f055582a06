import type { Context } from "hono";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Environment } from "./environment.ts";

/** What is measured of a request when its reply has ended. */
export interface RequestMeasure {
  readonly method: string;
  /** The pattern that the path matched, which no request can make up. */
  readonly route: string;
  readonly status: number;
  /** Bytes of the reply's body. */
  readonly bytes: number;
  readonly seconds: number;
}

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"]);

/** What `GET /metrics` tells (C 1). Times reach to the last byte of a reply, not to its headers. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "strongroom_http_requests_total",
    help: "Requests whose reply has ended",
    labelNames: ["method", "route", "status"],
    registers: [this.#registry],
  });
  readonly #bytes = new Counter({
    name: "strongroom_http_response_bytes_total",
    help: "Bytes of the bodies of replies",
    labelNames: ["route"],
    registers: [this.#registry],
  });
  readonly #seconds = new Histogram({
    name: "strongroom_http_request_seconds",
    help: "Time from a request's headers to the last byte of its reply",
    labelNames: ["route"],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600],
    registers: [this.#registry],
  });

  /** @param underway How many requests are under way now. */
  constructor(underway: () => number) {
    new Gauge({
      name: "strongroom_http_requests_under_way",
      help: "Requests whose reply has not ended",
      registers: [this.#registry],
      collect() {
        this.set(underway());
      },
    });
    new Gauge({
      name: "process_resident_memory_bytes",
      help: "Memory of the process that is resident",
      registers: [this.#registry],
      collect() {
        this.set(Deno.memoryUsage().rss);
      },
    });
  }

  record({ method, route, status, bytes, seconds }: RequestMeasure): void {
    this.#requests.inc({ method: METHODS.has(method) ? method : "other", route, status });
    this.#bytes.inc({ route }, bytes);
    this.#seconds.observe({ route }, seconds);
  }

  /** The reply to `GET /metrics`, in Prometheus's text format. */
  async reply(c: Context<Environment>): Promise<Response> {
    const text = await this.#registry.metrics();
    return c.body(text, 200, { "Content-Type": this.#registry.contentType });
  }
}
