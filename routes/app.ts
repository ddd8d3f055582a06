import { Hono } from "hono";
import { cors } from "hono/cors";
import { requestId } from "hono/request-id";
import type { Privilege } from "../core/caller.ts";
import type { HostCapacity } from "../core/capacity/mod.ts";
import type { VerifyCredential } from "../core/credentials.ts";
import { quoted } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { type ValidateReport, validateReport } from "../core/reports.ts";
import type { ScanService } from "../core/scans/service.ts";
import type { Tree } from "../core/tree/changes.ts";
import { reportJsonSchema } from "../schemas/report.ts";
import { requirePrivilege } from "./auth.ts";
import { showCapacity } from "./capacity.ts";
import { downloadResources } from "./download.ts";
import { failure, failureOf } from "./envelope.ts";
import type { App, AppEnvironment } from "./environment.ts";
import { type EventOptions, type ServerEvents, streamEvents } from "./events.ts";
import { type FindFault, healthz, readyz } from "./health.ts";
import { Metrics } from "./metrics.ts";
import { observe } from "./observe.ts";
import { openApi } from "./openapi.ts";
import { Places } from "./places.ts";
import { LARGE_REPORTS, validateReports } from "./reports.ts";
import {
  copyResources,
  deleteResources,
  listResources,
  mkdirResource,
  moveResources,
  uploadResources,
} from "./resources.ts";
import { deleteScan, getScan, getScanReport, getScans, postScan } from "./scans.ts";
import type { InFlight } from "./in_flight.ts";

/** Where the API begins (C 1). */
export const BASE_PATH = "/api/v1";

const JSON_TYPE = { "Content-Type": "application/json" };
const JSON_SCHEMA_TYPE = { "Content-Type": "application/schema+json" };

export interface AppOptions {
  readonly tree: Tree;
  readonly events: ServerEvents;
  readonly verify: VerifyCredential;
  readonly findFault: FindFault;
  readonly capacity: HostCapacity;
  readonly scans: ScanService;
  readonly log: Log;
  readonly inFlight: InFlight;
  /** Web origins whose scripts may use the API. @default none */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Whether `GET /metrics` needs no credential. @default false */
  readonly openMetrics?: boolean;
  readonly eventOptions?: EventOptions;
  /** @default on the thread of the server */
  readonly validateReport?: ValidateReport;
}

/** The whole HTTP interface as one Hono app (C 1). */
export function createApp(options: AppOptions): App {
  const {
    tree,
    events,
    verify,
    findFault,
    capacity,
    scans,
    log,
    inFlight,
    corsOrigins,
    eventOptions,
  } = options;
  const description = JSON.stringify(openApi(BASE_PATH));
  const reportSchema = JSON.stringify(reportJsonSchema());
  const validate = options.validateReport ?? validateReport;
  const places = new Places(LARGE_REPORTS);
  const metrics = new Metrics(() => inFlight.count);
  // Not strict: every route answers with and without a trailing slash.
  const app: App = new Hono<AppEnvironment>({ strict: false });

  app.use(requestId());
  app.use(observe({ log, metrics, inFlight }));
  app.use(async (c, next) => {
    await next();
    // What a browser is given is what it was said to be, and no page of this server is a script's.
    c.header("X-Content-Type-Options", "nosniff");
  });
  app.use(async (c, next) => {
    // It becomes the start of the URL: one with a slash in it would choose the route.
    const host = c.req.header("Host") ?? "";
    if (/^[\w.:[\]-]*$/.test(host)) return await next();
    const message = `Invalid Host header ${quoted(host)}`;
    return failure(c, { kind: "ErrResourcesInvalidRequest", message });
  });
  if (corsOrigins !== undefined) app.use(cors(corsPolicy(corsOrigins)));
  app.use(async (c, next) => {
    if (!inFlight.ending) return await next();
    const message = "The server is stopping and takes no new requests";
    return failure(c, { kind: "ErrUnavailable", message }, { headers: { Connection: "close" } });
  });

  app.get("/healthz", healthz);
  app.get("/readyz", (c) => readyz(c, findFault, log));
  app.get("/openapi.json", (c) => c.body(description, 200, JSON_TYPE));
  const may = (privilege: Privilege) => requirePrivilege(verify, privilege);
  if (!options.openMetrics) app.use("/metrics", may("resources.admin"));
  app.get("/metrics", (c) => metrics.reply(c));

  const api = app.basePath(BASE_PATH);
  api.get("/resources", may("resources.view"), (c) => listResources(c, tree));
  api.post("/resources", may("resources.upload"), (c) => uploadResources(c, tree));
  api.delete("/resources", may("resources.delete"), (c) => deleteResources(c, tree));
  api.post("/resources/mkdir", may("resources.edit"), (c) => mkdirResource(c, tree));
  api.put("/resources/move", may("resources.edit"), (c) => moveResources(c, tree));
  api.post("/resources/copy", may("resources.edit"), (c) => copyResources(c, tree));
  api.get("/resources/download", may("resources.download"), (c) => downloadResources(c, tree));
  api.get("/events", may("resources.view"), (c) => streamEvents(c, events, eventOptions));
  api.get("/reports/schema", may("scans.view"), (c) => c.body(reportSchema, 200, JSON_SCHEMA_TYPE));
  api.post("/reports/validate", may("scans.view"), (c) => validateReports(c, validate, places));

  api.post("/scans", may("scans.run"), (c) => postScan(c, scans));
  api.get("/scans", may("scans.view"), (c) => getScans(c, scans));
  api.get("/scans/:id", may("scans.view"), (c) => getScan(c, scans));
  api.delete("/scans/:id", may("scans.run"), (c) => deleteScan(c, scans));
  api.get("/scans/:id/report", may("scans.view"), (c) => getScanReport(c, scans));
  api.get("/capacity", may("capacity.view"), (c) => showCapacity(c, capacity));

  refuseOtherMethods(app);
  app.notFound((c) =>
    failure(c, { kind: "ErrRouteNotFound", message: `No route ${quoted(c.req.path)}` })
  );
  app.onError((error, c) => failureOf(c, error, log));
  return app;
}

/** Answers a known route with an unknown method by 405 and the methods it knows (C 1). */
function refuseOtherMethods(app: App): void {
  const methods = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === "ALL") continue;
    const known = methods.get(path) ?? new Set();
    known.add(method);
    if (method === "GET") known.add("HEAD");
    methods.set(path, known);
  }
  for (const [path, known] of methods) {
    const allow = [...known].sort().join(", ");
    app.all(path, (c) =>
      failure(c, {
        kind: "ErrMethodNotAllowed",
        message: `The route ${quoted(c.req.path)} does not know ${c.req.method}, only ${allow}`,
      }, { headers: { Allow: allow } }));
  }
}

function corsPolicy(origins: readonly string[]) {
  return {
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "HEAD", "POST", "PUT", "DELETE"],
    allowHeaders: [
      "Authorization",
      "Content-Type",
      "If-Modified-Since",
      "If-None-Match",
      "If-Range",
      "Last-Event-ID",
      "Range",
      "X-Request-Id",
    ],
    exposeHeaders: [
      "Accept-Ranges",
      "Content-Disposition",
      "Content-Range",
      "ETag",
      "Last-Modified",
      "X-Request-Id",
    ],
    maxAge: 600,
  };
}
