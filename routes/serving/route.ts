import type { AuditTrail } from "../../core/audit.ts";
import type { Privilege } from "../../core/caller.ts";
import type { CapacityHistory, HostCapacity } from "../../core/capacity/mod.ts";
import type { Chunk } from "../../core/content.ts";
import type { Events } from "../../core/events.ts";
import type { HubService } from "../../core/hub/ports.ts";
import type { DavStore } from "../../core/locks.ts";
import type { Log } from "../../core/log.ts";
import type { Mirror } from "../../core/mirror/files.ts";
import type { PeopleStore } from "../../core/people/store.ts";
import type { ValidateReport } from "../../core/reports.ts";
import type { VerdictEvent } from "../../core/verdicts.ts";
import type { PasskeyService } from "../../core/people/passkeys.ts";
import type { ScanEvent } from "../../core/scans/ports.ts";
import type { ScanService } from "../../core/scans/service.ts";
import type { TensorLists } from "../../core/compare/tensor_lists.ts";
import type { Semaphore } from "../../core/semaphore.ts";
import type { ResourceEvent } from "../../core/tree/change_set.ts";
import type { Tree } from "../../core/tree/changes.ts";
import type { TokenService } from "../../core/tokens.ts";
import type { LinkService } from "../../core/tree/links.ts";
import type { UploadService } from "../../core/tree/resumable_upload.ts";
import type { WaiverService } from "../../core/waivers.ts";
import type { S3Service } from "../../core/s3/service.ts";
import type { Context, MiddlewareHandler } from "hono";
import type { AppEnvironment } from "../request/environment.ts";
import type { Access } from "./auth.ts";
import type { Metrics } from "./metrics.ts";
import type { Operation } from "../openapi/operation.ts";
import type { PublicUrl } from "./public_url.ts";
import type { Load } from "./turns.ts";

/** Everything that happens in this server. */
export type ServerEvent = ResourceEvent | ScanEvent | VerdictEvent;
export type ServerEvents = Events<ServerEvent>;

/** How events are streamed. */
export interface EventOptions {
  /** @default 15000 */
  readonly heartbeatMs?: number;
}

/** Finds what prevents the server from verifying credentials or storing a file, if anything does. */
export type FindFault = () => Promise<{ part: string; problem: string } | undefined>;

/** What handlers work on. */
export interface Services {
  readonly tree: Tree;
  readonly events: ServerEvents;
  readonly eventOptions?: EventOptions | undefined;
  readonly scans: ScanService;
  readonly tensors: TensorLists;
  readonly waivers: WaiverService;
  readonly links: LinkService;
  readonly tokens: TokenService;
  readonly people: PeopleStore;
  /** Undefined if the audit log cannot be read here. */
  readonly auditTrail: AuditTrail | undefined;
  readonly passkeys: PasskeyService;
  readonly uploads: UploadService;
  readonly hub: HubService;
  /** Undefined if no other hub is mirrored. */
  readonly mirror?: Mirror | undefined;
  readonly dav: DavStore;
  readonly s3: S3Service;
  /** Bounds how many large commits are in memory at once. */
  readonly largeCommits: Semaphore;
  readonly publicUrl: PublicUrl;
  /** Whether others see the addresses of requests, by the spans of the runtime. */
  readonly isTraced: boolean;
  readonly capacity: HostCapacity;
  readonly capacityHistory: CapacityHistory;
  readonly validateReport: ValidateReport;
  /** Bounds how many large reports are in memory at once. */
  readonly largeReports: Semaphore;
  readonly findFault: FindFault;
  readonly metrics: Metrics;
  /** The OpenAPI description of the table of routes, as JSON. Made for the first request: it takes long. */
  readonly describe: () => Chunk;
  readonly log: Log;
}

type HttpMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS";
/** The methods of RFC 4918. */
type DavMethodName = "PROPFIND" | "PROPPATCH" | "MKCOL" | "COPY" | "MOVE" | "LOCK" | "UNLOCK";

/** A route as the app serves it: its address, the privilege that it needs, and its handler. */
export interface ServedRoute {
  readonly method: HttpMethod | DavMethodName;
  /**
   * In OpenAPI's form, such as `/scans/{id}`. `{+path}` is the rest of the address, slashes as well
   * (RFC 6570). A route answers with and without a trailing slash.
   */
  readonly path: string;
  /**
   * The privilege that it needs; without one, it needs no credential. With `any`, a credential is
   * enough, or the handler requires a privilege by what the body asks for.
   */
  readonly privilege?: Privilege | "any";
  /** Whether the credential may be the password of Basic authentication, as of Git LFS. @default false */
  readonly basic?: boolean;
  /** Whether its address is signed, in place of a credential. @default false */
  readonly signed?: boolean;
  /**
   * Verifies who makes a request, in place of a credential in a header: sets its caller, in the tree that the
   * request acts in, and counts it.
   */
  readonly authenticate?: (access: Access, services: Services) => MiddlewareHandler<AppEnvironment>;
  /** What it changes, as the audit log names it. Every route that changes something has one (C 22). */
  readonly action?: string;
  /**
   * Whether the parameter `tree` names the tree that it acts in (C 19), or the address does. If neither does,
   * an address of the latter kind acts in the tree of the credential. @default false
   */
  readonly tree?: boolean | "address";
  /** What it holds while it is served. @default "request" */
  readonly load?: Load;
  readonly handle: (
    c: Context<AppEnvironment>,
    services: Services,
  ) => Response | Promise<Response>;
}

/** A route of the API, with its description. */
export interface Route extends ServedRoute {
  readonly method: HttpMethod;
  readonly tree?: boolean;
  readonly operation: Operation;
}
