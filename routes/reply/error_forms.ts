import type { ErrorKind } from "../../core/errors.ts";
import type { S3Code } from "../../core/s3/s3_error.ts";
import { s3Refusal } from "./s3_codes.ts";
import { escapeXml, XML_DECLARATION } from "./xml.ts";

/** The body and the headers of a refusal. */
export interface ErrorForm {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** @default that of the refusal */
  readonly status?: number;
}

/** A refusal to word. */
export interface Refused {
  readonly kind: ErrorKind;
  readonly message: string;
  readonly status: number;
  /** The header `User-Agent` of the request. */
  readonly userAgent?: string | undefined;
  /** The code of Amazon S3, if the refusal has one of its own. */
  readonly s3Code?: S3Code | undefined;
  /** What a body in JSON has besides. @default nothing */
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly requestId: string;
}

/** The longest message in a header, which is also what most proxies pass on. */
const MAX_HEADER_CHARS = 1000;

/** The kinds that the clients of the hub know, by their words for them. */
const HUB_CODES: { readonly [Kind in ErrorKind]?: string } = {
  ErrHubRepositoryNotFound: "RepoNotFound",
  ErrHubRevisionNotFound: "RevisionNotFound",
  ErrHubEntryNotFound: "EntryNotFound",
  ErrResourcesNotFound: "EntryNotFound",
};

/** The command lines of the clients. They show the code `GatedRepo` in words of their own, without ours. */
const HUB_COMMAND = /^(?:hf|huggingface-cli)\//;

/** Clients that show a 401 of such an address as a broken connection, unless it has the code `GatedRepo`. */
const HIDES_UNAUTHORIZED = /\bhf_hub\/0\.(?:[12]?\d|30)\./;

/** Where clients look for a file, or for a revision to download. All show a 403 there as a broken connection. */
const DOWNLOAD = /\/(?:resolve|revision)\//;

/** With another message, the clients show a 401 as a repository that does not exist. */
const HUB_UNAUTHORIZED = "Invalid credentials in Authorization header";

/** Where signed addresses for content are. */
export const CONTENT_PATH = "/hub/api/content/";
/** Where those for files of another hub are. */
export const MIRROR_PATH = "/hub/api/mirror/";

/** Whether an address is one of the hub. */
export function isHub(path: string): boolean {
  return /^\/hub(?:\/|$)/.test(path);
}

/** Whether an address is one of WebDAV. */
export function isDav(path: string): boolean {
  return /^\/dav(?:\/|$)/.test(path);
}

/** Where the S3 door is. */
export const S3_PATH = "/s3";

/**
 * The path of a route for an address. Some clients of S3 can have no path before that of a bucket: buckets are
 * below the root as well.
 */
export function withS3Path(path: string): string {
  return /^\/(?:own|tree-\d+)(?:\/|$)/.test(path) ? S3_PATH + path : path;
}

/** Whether an address is one of the S3 door. */
export function isS3(path: string): boolean {
  return /^\/s3(?:\/|$)/.test(path);
}

/** Whether an address speaks Git LFS, whose clients send a password. */
export function isGitLfs(path: string): boolean {
  return /^\/hub\/.+\.git\/info\/lfs\//.test(path);
}

/** Whether refusals at an address have the form of Git LFS. */
export function hasLfsForm(path: string): boolean {
  return isGitLfs(path) || path.startsWith("/hub/lfs/");
}

/** The form of refusals at an address: that of the protocol that its clients speak. */
export function errorFormOf(path: string, refused: Refused): ErrorForm {
  if (isS3(path)) return s3Form(refused, path);
  if (!isHub(path)) return envelope(refused);
  if (hasLfsForm(path)) return lfsForm(refused);
  return hubForm(refused, path);
}

/** C 2. */
function envelope({ kind, message, fields }: Refused): ErrorForm {
  return {
    text: json({ status: "error", code: kind, msg: message, ...fields }),
    headers: { "Content-Type": "application/json" },
  };
}

function json(body: Readonly<Record<string, unknown>>): string {
  return `${JSON.stringify(body)}\n`;
}

/** C 30. */
function s3Form(refused: Refused, path: string): ErrorForm {
  const { message, requestId } = refused;
  const [code, status] = s3Refusal(refused);
  const children = Object.entries({
    Code: code,
    Message: message,
    Resource: path,
    RequestId: requestId,
  })
    .map(([name, text]) => `<${name}>${escapeXml(text)}</${name}>`);
  return {
    text: `${XML_DECLARATION}<Error>${children.join("")}</Error>`,
    headers: { "Content-Type": "application/xml" },
    status,
  };
}

/** C 20. */
function hubForm(refused: Refused, path: string): ErrorForm {
  const { message, status, fields } = refused;
  const code = hubCodeOf(refused, path);
  // A signed address has no credential that could be wrong.
  const isSigned = path.startsWith(CONTENT_PATH) || path.startsWith(MIRROR_PATH);
  const shown = status === 401 && code === undefined && !isSigned ? HUB_UNAUTHORIZED : message;
  return {
    text: json({ error: message, ...fields }),
    headers: {
      "Content-Type": "application/json",
      "X-Error-Message": headerText(shown),
      ...(code !== undefined && { "X-Error-Code": code }),
    },
  };
}

/** Refusals of the content of a file, whatever the caller may do. */
const OF_CONTENT: readonly ErrorKind[] = ["ErrResourcesQuarantined", "ErrResourcesRefused"];

/** The code that has clients show the message. */
function hubCodeOf({ kind, status, userAgent = "" }: Refused, path: string): string | undefined {
  if (status === 401) {
    return HIDES_UNAUTHORIZED.test(userAgent) && DOWNLOAD.test(path) ? "GatedRepo" : undefined;
  }
  if (OF_CONTENT.includes(kind) || status === 403 && DOWNLOAD.test(path)) {
    return HUB_COMMAND.test(userAgent) ? undefined : "GatedRepo";
  }
  return HUB_CODES[kind];
}

/**
 * The form of Git LFS. Its type would be that of Git LFS, but the clients of the hub, which speak it too, read the
 * header, or a message of this type alone (C 31). Git LFS reads both types.
 */
function lfsForm({ message, fields }: Refused): ErrorForm {
  return {
    text: json({ message, ...fields }),
    headers: {
      "Content-Type": "application/json",
      "X-Error-Message": headerText(message),
    },
  };
}

/** The start of a message as one line of ASCII. */
function headerText(message: string): string {
  return message.slice(0, MAX_HEADER_CHARS)
    .replaceAll(/\s+/g, " ")
    .replaceAll(/[^\x20-\x7e]/gu, (char) => encodeURIComponent(char.toWellFormed()))
    .slice(0, MAX_HEADER_CHARS)
    .replace(/%[0-9A-F]?$/, "");
}
