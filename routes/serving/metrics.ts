import type { Context } from "hono";
import type { Measure, Metric } from "../../core/metric.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { respond } from "../reply/respond.ts";

/** The measurements of a request, taken when its reply has ended. */
export interface RequestMeasure {
  readonly method: string;
  /** The pattern that the path matched: one of the table, never a text of the request. */
  readonly route: string;
  readonly status: number;
  /** Bytes of the reply's body. */
  readonly bytes: number;
  readonly seconds: number;
}

const METHODS: ReadonlySet<string> = new Set([
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"],
  ...["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK"],
]);

/** The upper bounds of the histogram, in seconds. */
const BUCKETS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 600];

/** The requests of one route with one method and one status. */
interface Series {
  /** For each bound of {@link BUCKETS}: the requests that took no longer. */
  readonly within: number[];
  count: number;
  seconds: number;
  bytes: number;
}

/**
 * The metrics of `GET /metrics` (C 1). Times include the last byte of the reply.
 *
 * Not prom-client: `deno compile` overflows its stack on a package that it needs.
 */
export class Metrics {
  readonly #measure: Measure;
  /** By labels, in Prometheus's format. */
  readonly #series = new Map<string, Series>();
  /** By the names of rules. */
  readonly #refusals = new Map<string, number>();

  /** @param measure Measures all but the requests. */
  constructor(measure: Measure) {
    this.#measure = measure;
  }

  record({ method, route, status, bytes, seconds }: RequestMeasure): void {
    // Every value is one of a few known ones, so none needs escaping.
    const known = METHODS.has(method) ? method : "other";
    const labels = `method="${known}",route="${route}",status="${status}"`;
    let series = this.#series.get(labels);
    if (series === undefined) {
      series = { within: BUCKETS.map(() => 0), count: 0, seconds: 0, bytes: 0 };
      this.#series.set(labels, series);
    }
    series.count++;
    series.seconds += seconds;
    series.bytes += bytes;
    for (let index = BUCKETS.length - 1; seconds <= (BUCKETS[index] ?? -1); index--) {
      series.within[index] = (series.within[index] ?? 0) + 1;
    }
  }

  /** Counts a request that a rule of the policy has refused (C 28). */
  refused(rule: string): void {
    this.#refusals.set(rule, (this.#refusals.get(rule) ?? 0) + 1);
  }

  /** The reply to `GET /metrics`, in Prometheus's text format. */
  async reply(c: Context<AppEnvironment>): Promise<Response> {
    return respond(c, new TextEncoder().encode(this.#text(await this.#measure())), 200, {
      "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
    });
  }

  #refusalMetric(): Metric {
    return {
      name: "strongroom_policy_refusals_total",
      type: "counter",
      help: "Requests that the policy has refused, by rule",
      samples: { label: "rule", values: Object.fromEntries(this.#refusals) },
    };
  }

  #text(metrics: readonly Metric[]): string {
    const all = [...this.#series];
    const bytes = "strongroom_http_response_bytes_total";
    return [
      ...family("strongroom_http_request_seconds", "histogram", "Time to the last byte of a reply"),
      ...all.flatMap(([labels, series]) => histogramLines(labels, series)),
      ...family(bytes, "counter", "Bytes sent in response bodies"),
      ...all.map(([labels, series]) => `${bytes}{${labels}} ${series.bytes}`),
      ...[this.#refusalMetric(), ...metrics].flatMap(metricLines),
      "",
    ].join("\n");
  }
}

function metricLines({ name, type, help, samples }: Metric): string[] {
  if (typeof samples === "number") return [...family(name, type, help), `${name} ${samples}`];
  const { label, values } = samples;
  return [
    ...family(name, type, help),
    ...Object.entries(values).map(([it, value]) => `${name}{${label}="${it}"} ${value}`),
  ];
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function histogramLines(labels: string, { within, count, seconds }: Series): string[] {
  const name = "strongroom_http_request_seconds";
  return [
    ...BUCKETS.map((bound, index) =>
      `${name}_bucket{${labels},le="${bound}"} ${within[index] ?? 0}`
    ),
    `${name}_bucket{${labels},le="+Inf"} ${count}`,
    `${name}_sum{${labels}} ${seconds}`,
    `${name}_count{${labels}} ${count}`,
  ];
}
