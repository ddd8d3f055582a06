import { encodeExtended } from "content-disposition";
import type { Context } from "hono";
import { quoted } from "../../core/errors.ts";
import type { ResourceRecord } from "../../core/ports.ts";
import type { Tree } from "../../core/tree/changes.ts";
import {
  type ArchiveDownload,
  type Download,
  download,
  type FileDownload,
} from "../../core/tree/download.ts";
import { Compression } from "../../schemas/resources.ts";
import { auditChange } from "../serving/audit.ts";
import { callerOf } from "../serving/auth.ts";
import { httpDate, representationOf, select, type Selection } from "../request/conditional.ts";
import { failure } from "../reply/envelope.ts";
import { treeOfRequest } from "../serving/at.ts";
import type { AppEnvironment } from "../request/environment.ts";
import { idsOf, parseQuery, pathsOf, wordOf } from "../request/query.ts";
import { respond } from "../reply/respond.ts";
import { streamed } from "../reply/streamed.ts";

/** `GET /resources/download` (RS 4.7). */
export async function downloadResources(c: Context<AppEnvironment>, tree: Tree): Promise<Response> {
  const query = parseQuery(c.req.url);
  const [paths, ids] = [pathsOf(query), idsOf(query)];
  // Recorded if the gate refuses it.
  auditChange(c, { paths, details: { ids: ids.join(" ") || undefined } });
  const found = await download(await treeOfRequest(c, tree), {
    caller: callerOf(c),
    paths,
    ids,
    compression: wordOf(query, "compression", Compression) ?? "auto",
    select: (record) => select(c.req.raw, representationOf(record)),
    signal: c.req.raw.signal,
  });
  return await sendDownload(c, found);
}

/** @param headers Headers in place of those of a download. @default none */
export async function sendDownload(
  c: Context<AppEnvironment>,
  found: Download<Selection>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return found.kind === "file"
    ? await sendFile(c, found, headers)
    : await sendArchive(c, found, headers);
}

/** What is sent of a file. */
export interface SentFile extends Pick<FileDownload<Selection>, "selection" | "content"> {
  readonly record: Pick<ResourceRecord, "hash" | "updatedAt" | "size" | "name">;
}

/** A file, or the part of it that the request asks for, as a reply (C 9). */
export async function sendFile(
  c: Context<AppEnvironment>,
  { record, selection, content }: SentFile,
  replacements: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { etag, modifiedAt, size } = representationOf(record);
  const headers = {
    ETag: etag,
    "Last-Modified": httpDate(modifiedAt),
    "Accept-Ranges": "bytes",
    // The content of a path may change, so caches must revalidate.
    "Cache-Control": "private, no-cache",
  };
  const { status, range } = selection;
  if (status === 412) throw selection.refusal;
  if (status === 304) return respond(c, null, 304, { ...headers, ...replacements });
  if (range === undefined) {
    return failure(c, {
      kind: "ErrResourcesInvalidRequest",
      message: `Range ${
        quoted(c.req.header("Range") ?? "")
      } is outside the ${size} bytes of the file`,
    }, { status: 416, headers: { "Content-Range": `bytes */${size}` } });
  }
  const { start, end } = range;
  const all = {
    ...headers,
    "Content-Type": "application/octet-stream",
    "Content-Length": String(end - start),
    "Content-Disposition": attachment(record.name),
    ...(status === 206 && { "Content-Range": `bytes ${start}-${end - 1}/${size}` }),
    ...replacements,
  };
  return content === undefined
    ? respond(c, null, status, all)
    : await streamed(c, content, { status, headers: all });
}

async function sendArchive(
  c: Context<AppEnvironment>,
  { filename, content }: ArchiveDownload,
  replacements: Readonly<Record<string, string>>,
): Promise<Response> {
  return await streamed(c, content, {
    headers: {
      "Content-Type": "application/zip",
      "Content-Disposition": attachment(filename),
      "Cache-Control": "private, no-cache",
      ...replacements,
    },
  });
}

/**
 * A Content-Disposition with the name in quoted ASCII, and in UTF-8 if ASCII loses something
 * (RFC 6266). No stored name contains a quotation mark or a backslash (C 4).
 */
function attachment(name: string): string {
  const ascii = name.replaceAll(/[^\x20-\x7e]+/g, "_");
  const plain = ascii === name && !/%[0-9a-f]{2}/i.test(name);
  return `attachment; filename="${ascii}"${plain ? "" : `; filename*=${encodeExtended(name)}`}`;
}
