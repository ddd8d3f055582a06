import { type Context, Hono, type MiddlewareHandler } from "hono";
import type { AuditLog } from "../core/audit.ts";
import type { Caller } from "../core/caller.ts";
import type { ConsoleSessions, SignedInPerson } from "../core/console_sessions.ts";
import type { Chunk } from "../core/content.ts";
import { quoted } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Provider } from "../core/people/provider.ts";
import type { PeopleStore } from "../core/people/store.ts";
import type { PasskeyService } from "../core/people/passkeys.ts";
import type { TokenService } from "../core/tokens.ts";
import type { Measure } from "../core/metric.ts";
import { recordAudit, requireAudit } from "./serving/audit.ts";
import { type Access, requirePrivate, requirePrivilege } from "./serving/auth.ts";
import { TrustedProxies } from "./request/client_address.ts";
import { failure, failureOf } from "./reply/envelope.ts";
import type { App, AppEnvironment } from "./request/environment.ts";
import { isDav, isHub, S3_PATH, withS3Path } from "./reply/error_forms.ts";
import { followsLink, HIDDEN_LINK_ROUTES } from "./trees/hidden_link.ts";
import { identify } from "./serving/identify.ts";
import type { InFlight } from "./serving/in_flight.ts";
import { Metrics } from "./serving/metrics.ts";
import { limitLinks, LinkLimits } from "./trees/link_limits.ts";
import { type ActiveSpan, observe, shownPath } from "./serving/observe.ts";
import { PublicUrl } from "./serving/public_url.ts";
import { crossOrigin } from "./serving/cross_origin.ts";
import { guardRequest } from "./serving/request_guard.ts";
import { openApi } from "./openapi/document.ts";
import { largeReportPermits } from "./scans/reports.ts";
import { takeTurn, Turns } from "./serving/turns.ts";
import { requireGrant } from "./serving/signed_address.ts";
import type { Route, ServedRoute, Services } from "./serving/route.ts";
import { API_ROUTES, METRICS_PATH, ROUTES } from "./routes.ts";
import { SplitRouter } from "./serving/split_router.ts";
import { BASE_PATH, CONSOLE_API_PATH } from "../schemas/base_path.ts";
import { tusHeaders, UPLOADS_PATH } from "./transfers/tus.ts";

export interface AppOptions
  extends
    Access,
    Omit<Services, "metrics" | "describe" | "largeReports" | "publicUrl" | "isTraced"> {
  readonly audit: AuditLog;
  /** The routes of other protocols, which are not part of the description of the API. */
  readonly doorRoutes: readonly ServedRoute[];
  /** The proxies that may say for which client they ask. @default none */
  readonly trustedProxies?: TrustedProxies | undefined;
  /** What clients without a credential may have. @default {@link LinkLimits} */
  readonly linkLimits?: LinkLimits | undefined;
  /** The URL under which clients reach the server. @default that of each request, without a path */
  readonly url?: string | undefined;
  readonly inFlight: InFlight;
  /** Measures what `GET /metrics` shows besides requests. */
  readonly measure: Measure;
  /** @default requests are not traced */
  readonly activeSpan?: ActiveSpan | undefined;
  /** Web origins whose scripts may use the API. @default none */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Whether `GET /metrics` needs no credential. @default false */
  readonly openMetrics?: boolean;
  readonly sessions: ConsoleSessions;
  readonly callerOfPerson: ConsoleParts["callerOfPerson"];
  readonly keyId: ConsoleParts["keyId"];
  readonly historyMs: number;
  /** By which people sign in. @default none */
  readonly provider?: Provider | undefined;
  /** Adds the console. @default none */
  readonly serveConsole?: ((parts: ConsoleParts) => void) | undefined;
  readonly readConsole: ConsoleParts["readConsole"];
  readonly readScanner: ConsoleParts["readScanner"];
}

/** What the console is made of (C 24). */
export interface ConsoleParts {
  readonly app: App;
  readonly audit: AuditLog;
  readonly log: Log;
  readonly verify: Access["verify"];
  readonly sessions: ConsoleSessions;
  /** The caller of a person who is signed in. */
  readonly callerOfPerson: (person: SignedInPerson) => Promise<Caller>;
  /** The id of the key that sessions of persons stand or fall with. */
  readonly keyId: () => string | undefined;
  readonly passkeys: PasskeyService;
  readonly tokens: TokenService;
  readonly provider?: Provider | undefined;
  readonly people: PeopleStore;
  /** How long trees keep what changes take away, in milliseconds; 0 without history (C 26). */
  readonly historyMs: number;
  /** Whether another hub is mirrored (C 28). */
  readonly hasMirror: boolean;
  readonly publicUrl: PublicUrl;
  /** Serves the routes of the API under another address, to requests that pass other checks before. */
  readonly serveApi: (options: ApiOptions) => void;
  /** The files that browsers load, by their names. Undefined where they were not made. */
  readonly readConsole: () => Promise<Readonly<Record<string, string>> | undefined>;
  /** The modules of the scanner for browsers, by their names; none where they were not built. */
  readonly readScanner: () => Promise<ReadonlyMap<string, string>>;
}

export interface ApiOptions {
  readonly base: string;
  readonly holderOf: Access["holderOf"];
  /** What comes before the checks of a route. */
  readonly guard: (route: Route) => MiddlewareHandler<AppEnvironment>;
  readonly handlerOf: (route: Route) => Route["handle"];
}

/** The whole HTTP interface as one Hono app (C 1). */
export function createApp(options: AppOptions): App {
  const { log, inFlight, trustedProxies = new TrustedProxies([]) } = options;
  const metrics = new Metrics(options.measure);
  const publicUrl = new PublicUrl(options.url, trustedProxies);
  let description: Chunk | undefined;
  // Every route answers with and without a trailing slash.
  const app: App = new Hono<AppEnvironment>({
    router: new SplitRouter(["/hub/", "/dav/", S3_PATH]),
    getPath: (request) => withS3Path(publicUrl.routeOf(request)),
  });
  app.use(identify(trustedProxies));
  app.use(observe({ log, metrics, inFlight, activeSpan: options.activeSpan }));
  guard(app, options);
  const serve = routeServer(app, options, {
    ...options,
    metrics,
    describe: () =>
      description ??= new TextEncoder().encode(JSON.stringify(openApi(ROUTES, publicUrl.path))),
    largeReports: largeReportPermits(),
    publicUrl,
    isTraced: options.activeSpan !== undefined,
  });
  for (const route of [...ROUTES, ...HIDDEN_LINK_ROUTES, ...options.doorRoutes]) {
    const showsPassword = isDav(route.path) && route.privilege !== undefined;
    serve(route, showsPassword ? [requirePrivate(publicUrl)] : []);
  }
  options.serveConsole?.({
    ...options,
    hasMirror: options.mirror !== undefined,
    app,
    publicUrl,
    serveApi({ base, holderOf, guard, handlerOf }) {
      for (const route of API_ROUTES) {
        const served = { ...route, path: base + route.path, handle: handlerOf(route) };
        serve(served, [guard(route)], holderOf);
      }
    },
  });
  refuseOtherMethods(app);
  app.notFound(refuseUnknown);
  app.onError((error, c) => failureOf(c, error, log));
  return app;
}

/** What holds for every request before its route: headers, CORS, and the refusal to start while stopping. */
function guard(app: App, { tree, corsOrigins, inFlight }: AppOptions): void {
  app.use(guardRequest);
  for (const base of [BASE_PATH, CONSOLE_API_PATH]) {
    app.use(`${base}${UPLOADS_PATH}/*`, tusHeaders(tree));
  }
  if (corsOrigins !== undefined) {
    app.use(...crossOrigin(corsOrigins));
  }
  app.use((c, next) => {
    if (!inFlight.ending) return next();
    const message = "The server is stopping";
    const headers = { Connection: "close" };
    return Promise.resolve(failure(c, { kind: "ErrUnavailable", message }, { headers }));
  });
}

type ServeRoute = (
  route: ServedRoute,
  before: readonly MiddlewareHandler<AppEnvironment>[],
  holderOf?: Access["holderOf"],
) => void;

/** What serves routes on the app. Users have the same limits on all of them. */
function routeServer(app: App, options: AppOptions, services: Services): ServeRoute {
  const limits = { turns: new Turns(), links: options.linkLimits ?? new LinkLimits() };
  return (route, before, holderOf) => {
    const pattern = route.path
      .replace(/\{\+(\w+)\}$/, ":$1{[\\s\\S]+}")
      .replaceAll(/\{(\w+)\}\.git/g, ":$1{[^/]+\\.git}")
      .replaceAll(/\{(\w+)\}(?=\/|$)/g, ":$1");
    app.on(
      route.method,
      [pattern],
      ...before,
      ...checksOf(route, { ...options, ...(holderOf && { holderOf }) }, services, limits),
      (c) => route.handle(c, services),
    );
  };
}

/** What comes before the handler of a route. */
function checksOf(
  route: ServedRoute,
  { audit, openMetrics, ...access }: AppOptions,
  services: Services,
  limits: { readonly turns: Turns; readonly links: LinkLimits },
): MiddlewareHandler<AppEnvironment>[] {
  const { path, privilege, action, tree = false, basic = false, load = "request" } = route;
  if (followsLink(route)) {
    const recorded = recordAudit(audit, { name: "links.download", isChange: true });
    return [recorded, requireAudit(audit), limitLinks(limits.links)];
  }
  if (path === METRICS_PATH && openMetrics) return [];
  const name = action ?? privilege ?? "resources.download";
  const isAllowed = route.signed
    ? requireGrant(access, access.hub)
    : route.authenticate !== undefined
    ? route.authenticate(access, services)
    : privilege && requirePrivilege(access, { privilege, tree, basic });
  if (isAllowed === undefined) return [];
  return [
    recordAudit(audit, { name, isChange: action !== undefined }),
    isAllowed,
    ...action === undefined ? [] : [requireAudit(audit)],
    takeTurn(limits.turns, load),
  ];
}

/** Clients of the hub take a 404 for a repository or a file that does not exist (C 31). */
function refuseUnknown(c: Context): Response {
  const address = quoted(shownPath(c.req.path));
  return isHub(c.req.path)
    ? failure(c, { kind: "ErrHubNotOffered", message: `Not offered here: ${address}` })
    : failure(c, { kind: "ErrRouteNotFound", message: `No route ${address}` });
}

/** Answers a known route with another method by 405 and the allowed methods (C 1). */
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
        message: `Method ${c.req.method} not allowed for ${
          quoted(shownPath(c.req.path))
        } (allowed: ${allow})`,
      }, { headers: { Allow: allow } }));
  }
}
