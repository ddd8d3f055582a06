import { showCapacity, showCapacityHistory } from "./administration/capacity.ts";
import { streamEvents } from "./events.ts";
import { healthz, readyz } from "./administration/health.ts";
import { EVENTS } from "./openapi/events.ts";
import * as auditOperations from "./openapi/audit.ts";
import * as linkOperations from "./openapi/links.ts";
import * as scanOperations from "./openapi/scans.ts";
import * as tokenOperations from "./openapi/tokens.ts";
import * as usageOperations from "./openapi/usage.ts";
import * as waiverOperations from "./openapi/waivers.ts";
import * as serverOperations from "./openapi/server.ts";
import { deleteLink, getLinks, LINK_PATH, postLink, serveLink } from "./trees/links.ts";
import { getAudit } from "./administration/list_audit.ts";
import { PEOPLE_ROUTES } from "./administration/people_routes.ts";
import { BASE_PATH } from "../schemas/base_path.ts";
import { showReportSchema, validateReports } from "./scans/reports.ts";
import { respond } from "./reply/respond.ts";
import { deleteScan, getScan, getScanReport, getScans, postScan } from "./scans/scans.ts";
import { MIRROR_ROUTES } from "./mirror/mirror_routes.ts";
import { HISTORY_ROUTES } from "./trees/history_routes.ts";
import { RESOURCE_ROUTES } from "./trees/resource_routes.ts";
import type { Route } from "./serving/route.ts";
import { deleteToken, getTokens, postRevocation, postToken } from "./administration/tokens.ts";
import { UPLOAD_ROUTES } from "./transfers/upload_routes.ts";
import { showEntryShares, showExtensionShares, showUserShares } from "./administration/shares.ts";
import { showUsage } from "./administration/usage.ts";
import { showVerdictDays } from "./scans/verdict_days.ts";
import { deleteWaiver, getWaivers, postWaiver } from "./scans/waivers.ts";

/** `GET /metrics`, whose privilege the setting `STRONGROOM_METRICS=open` lifts (C 1). */
export const METRICS_PATH = "/metrics";

const ROOT_ROUTES: readonly Route[] = [
  {
    method: "GET",
    path: "/healthz",
    operation: serverOperations.HEALTH,
    handle: healthz,
  },
  {
    method: "GET",
    path: "/readyz",
    operation: serverOperations.READINESS,
    handle: (c, { findFault, log }) => readyz(c, findFault, log),
  },
  {
    method: "GET",
    path: "/openapi.json",
    operation: serverOperations.DESCRIPTION,
    handle: (c, { describe }) =>
      respond(c, describe(), 200, { "Content-Type": "application/json" }),
  },
  {
    method: "GET",
    path: METRICS_PATH,
    privilege: "metrics.view",
    operation: serverOperations.METRICS,
    handle: (c, { metrics }) => metrics.reply(c),
  },
  {
    method: "GET",
    path: LINK_PATH,
    operation: linkOperations.FOLLOW,
    handle: (c, { links }) => serveLink(c, links),
  },
];

/** The routes of the API, relative to its base. */
export const API_ROUTES: readonly Route[] = [
  ...RESOURCE_ROUTES,
  ...HISTORY_ROUTES,
  ...MIRROR_ROUTES,
  ...UPLOAD_ROUTES,
  {
    method: "GET",
    path: "/usage",
    privilege: "resources.view",
    tree: true,
    operation: usageOperations.USAGE,
    handle: (c, { tree }) => showUsage(c, tree),
  },
  {
    method: "GET",
    path: "/usage/entries",
    privilege: "resources.view",
    tree: true,
    operation: usageOperations.ENTRIES,
    handle: (c, { tree }) => showEntryShares(c, tree),
  },
  {
    method: "GET",
    path: "/usage/extensions",
    privilege: "resources.view",
    tree: true,
    operation: usageOperations.EXTENSIONS,
    handle: (c, { tree }) => showExtensionShares(c, tree),
  },
  {
    method: "GET",
    path: "/users/usage",
    privilege: "resources.admin",
    operation: usageOperations.USERS,
    handle: (c, { tree }) => showUserShares(c, tree),
  },
  {
    method: "GET",
    path: "/verdicts/days",
    privilege: "resources.view",
    tree: true,
    operation: scanOperations.VERDICT_DAYS,
    handle: (c, { tree }) => showVerdictDays(c, tree),
  },
  {
    method: "POST",
    path: "/waivers",
    privilege: "resources.admin",
    action: "waivers.add",
    operation: waiverOperations.ADD,
    handle: (c, { waivers }) => postWaiver(c, waivers),
  },
  {
    method: "GET",
    path: "/waivers",
    privilege: "resources.admin",
    operation: waiverOperations.LIST,
    handle: (c, { waivers }) => getWaivers(c, waivers),
  },
  {
    method: "DELETE",
    path: "/waivers/{id}",
    privilege: "resources.admin",
    action: "waivers.delete",
    operation: waiverOperations.REMOVE,
    handle: (c, { waivers }) => deleteWaiver(c, waivers),
  },
  {
    method: "POST",
    path: "/links",
    privilege: "resources.download",
    tree: true,
    action: "links.add",
    operation: linkOperations.ADD,
    handle: postLink,
  },
  {
    method: "GET",
    path: "/links",
    privilege: "resources.download",
    tree: true,
    operation: linkOperations.LIST,
    handle: (c, { links }) => getLinks(c, links),
  },
  {
    method: "DELETE",
    path: "/links/{id}",
    privilege: "resources.download",
    tree: true,
    action: "links.delete",
    operation: linkOperations.REMOVE,
    handle: (c, { links }) => deleteLink(c, links),
  },
  {
    method: "POST",
    path: "/tokens",
    privilege: "any",
    action: "token.mint",
    operation: tokenOperations.MINT,
    handle: (c, { tokens }) => postToken(c, tokens),
  },
  {
    method: "GET",
    path: "/tokens",
    privilege: "resources.view",
    operation: tokenOperations.LIST,
    handle: (c, { tokens, people }) => getTokens(c, tokens, people),
  },
  {
    method: "DELETE",
    path: "/tokens/{jti}",
    privilege: "any",
    action: "token.revoke",
    operation: tokenOperations.REVOKE,
    handle: (c, { tokens }) => deleteToken(c, tokens),
  },
  {
    method: "POST",
    path: "/users/{named}/revocations",
    privilege: "resources.admin",
    action: "token.revoke",
    operation: tokenOperations.REVOKE_USER,
    handle: (c, { tokens, people }) => postRevocation(c, tokens, people),
  },
  ...PEOPLE_ROUTES,
  {
    method: "GET",
    path: "/audit",
    privilege: "resources.view",
    operation: auditOperations.LIST,
    handle: (c, { auditTrail, people }) => getAudit(c, auditTrail, people),
  },
  {
    method: "GET",
    path: "/events",
    privilege: "resources.view",
    tree: true,
    load: "stream",
    operation: EVENTS,
    handle: (c, { events, eventOptions }) => streamEvents(c, events, eventOptions),
  },
  {
    method: "GET",
    path: "/reports/schema",
    privilege: "scans.view",
    operation: scanOperations.REPORT_SCHEMA,
    handle: showReportSchema,
  },
  {
    method: "POST",
    path: "/reports/validate",
    privilege: "scans.view",
    load: "job",
    operation: scanOperations.VALIDATE_REPORT,
    handle: (c, { validateReport, largeReports }) =>
      validateReports(c, validateReport, largeReports),
  },
  {
    method: "POST",
    path: "/scans",
    privilege: "scans.run",
    tree: true,
    action: "scans.start",
    load: "job",
    operation: scanOperations.START,
    handle: (c, { scans }) => postScan(c, scans),
  },
  {
    method: "GET",
    path: "/scans",
    privilege: "scans.view",
    tree: true,
    operation: scanOperations.LIST,
    handle: (c, { scans }) => getScans(c, scans),
  },
  {
    method: "GET",
    path: "/scans/{id}",
    privilege: "scans.view",
    tree: true,
    operation: scanOperations.FIND,
    handle: (c, { scans }) => getScan(c, scans),
  },
  {
    method: "DELETE",
    path: "/scans/{id}",
    privilege: "scans.run",
    tree: true,
    action: "scans.delete",
    operation: scanOperations.REMOVE,
    handle: (c, { scans }) => deleteScan(c, scans),
  },
  {
    method: "GET",
    path: "/scans/{id}/report",
    privilege: "scans.view",
    tree: true,
    load: "transfer",
    operation: scanOperations.REPORT,
    handle: (c, { scans }) => getScanReport(c, scans),
  },
  {
    method: "GET",
    path: "/capacity",
    privilege: "capacity.view",
    operation: serverOperations.CAPACITY,
    handle: (c, { capacity }) => showCapacity(c, capacity),
  },
  {
    method: "GET",
    path: "/capacity/history",
    privilege: "capacity.view",
    operation: serverOperations.CAPACITY_HISTORY,
    handle: (c, { capacityHistory }) => showCapacityHistory(c, capacityHistory),
  },
];

/** Every route of the server. The app serves this table, and the OpenAPI description is made of it. */
export const ROUTES: readonly Route[] = [
  ...ROOT_ROUTES,
  ...API_ROUTES.map((route) => ({ ...route, path: BASE_PATH + route.path })),
];
