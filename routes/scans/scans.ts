import type { Context } from "hono";
import {
  findScan,
  listScans,
  removeScan,
  scanReport,
  type ScanService,
  startScan,
} from "../../core/scans/service.ts";
import { ReportDownload, SCAN_WAIT_S } from "../../schemas/queries.ts";
import { ScanRequest } from "../../schemas/scans.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { scanOf } from "../reply/entries.ts";
import { success } from "../reply/envelope.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { jsonBody } from "../request/body.ts";
import { idOf, integerOf, pageOf, parseQuery, wordOf } from "../request/query.ts";
import { encodedChunks } from "../reply/gzip.ts";
import { streamed } from "../reply/streamed.ts";

type Handled = Context<AppEnvironment>;

/** `POST /scans/` (C 15). */
export async function postScan(c: Handled, scans: ScanService): Promise<Response> {
  const query = parseQuery(c.req.url);
  const waitSeconds = integerOf(query, "wait", SCAN_WAIT_S) ?? SCAN_WAIT_S.default;
  const { path, paths, id, ids, scanners, weights } = await jsonBody(c.req.raw, ScanRequest);
  const named = {
    paths: [...path === null ? [] : [path], ...paths],
    ids: [...id === null ? [] : [id], ...ids],
  };
  auditChange(c, { paths: named.paths, details: { ids: named.ids.join(" ") || undefined } });
  const scan = await startScan(scans, {
    caller: callerOf(c),
    ...named,
    scanners,
    weights,
    until: AbortSignal.any([AbortSignal.timeout(waitSeconds * 1000), c.req.raw.signal]),
  });
  auditChange(c, { paths: scan.paths, details: { scan: scan.id } });
  return success(c, scanOf(scan), 202);
}

/** `GET /scans/`: the caller's own, newest first (C 15). */
export async function getScans(c: Handled, scans: ScanService): Promise<Response> {
  const page = pageOf(parseQuery(c.req.url));
  const found = await listScans(scans, { caller: callerOf(c), ...page });
  return success(c, { items: found.map(scanOf), total: found.length });
}

/** `GET /scans/{id}` (C 15). */
export async function getScan(c: Handled, scans: ScanService): Promise<Response> {
  return success(c, scanOf(await findScan(scans, { caller: callerOf(c), id: scanId(c) })));
}

/** `GET /scans/{id}/report`: the bare document, or a SARIF log (C 15, C 24). */
export async function getScanReport(c: Handled, scans: ScanService): Promise<Response> {
  const format = wordOf(parseQuery(c.req.url), "format", ReportDownload) ?? "json";
  const report = await scanReport(scans, { caller: callerOf(c), id: scanId(c), format });
  async function* pieces() {
    yield* report;
  }
  const type = format === "json" ? "application/json" : "application/sarif+json";
  const { body, headers } = encodedChunks(c, pieces());
  return await streamed(c, body, { headers: { "Content-Type": type, ...headers } });
}

/** `DELETE /scans/{id}` (C 15). */
export async function deleteScan(c: Handled, scans: ScanService): Promise<Response> {
  const id = scanId(c);
  auditChange(c, { paths: [], details: { scan: id } });
  return success(c, scanOf(await removeScan(scans, { caller: callerOf(c), id })));
}

function scanId(c: Handled): number {
  return idOf(c.req.param("id") ?? "");
}
