import { hash } from "node:crypto";
import type { Caller } from "../../core/caller.ts";
import { quoted } from "../../core/errors.ts";
import type { FindAccessKey, Signer } from "../../core/s3/access_keys.ts";
import { type S3Code, S3Error } from "../../core/s3/s3_error.ts";
import type { HeaderSource } from "../request/conditional.ts";
import type { Target } from "./target.ts";

const ALGORITHM = "AWS4-HMAC-SHA256";
/** How far the clock of a client may be off, in milliseconds. */
const MAX_SKEW_MS = 15 * 60_000;
/** How long a presigned address may be valid, in seconds. */
const MAX_EXPIRES_S = 7 * 24 * 60 * 60;
export const UNSIGNED = "UNSIGNED-PAYLOAD";

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 +Credential=([^,\s]+), *SignedHeaders=([^,\s]+), *Signature=([0-9a-f]{64})$/;
const CREDENTIAL = /^([^/\s,]{1,128})\/(\d{8})\/([\w-]{1,64})\/s3\/aws4_request$/;
const TIME = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;
const SIGNATURE = /^[0-9a-f]{64}$/;
const SIGNATURE_CHARS = 64;
/** The parameters of a presigned address. Each comes once. */
const PRESIGNED = ["Algorithm", "Credential", "Date", "Expires", "SignedHeaders", "Signature"]
  .map((name) => `X-Amz-${name}`);

/** A request as it is signed. */
export interface SignedRequest {
  readonly method: string;
  readonly target: Target;
}

/** What a request states of its signature. */
interface Stated {
  readonly credential: string;
  readonly time: string;
  /** Until when it may be used, in seconds after that. @default as the clock of its client may be off */
  readonly expiresS?: number;
  readonly signedHeaders: string;
  readonly signature: string;
  /** What it states of the body. */
  readonly payload: string;
  /** What is thrown when it is malformed. */
  readonly malformed: (why: string) => S3Error;
}

/** A signature that was verified. */
export interface Verified {
  readonly caller: Caller;
  /** The header `X-Amz-Content-Sha256`. */
  readonly payload: string;
  readonly signature: string;
  readonly signer: Signer;
  readonly time: string;
  readonly scope: string;
}

/**
 * Verifies the signature of a request, version 4, in its headers or its address (C 30).
 *
 * @throws {S3Error} when it has none or a wrong one, or its time is off.
 */
export async function verifySignature(
  request: SignedRequest,
  find: FindAccessKey,
  now = Date.now(),
): Promise<Verified> {
  const stated = statedBy(request);
  const [, id = "", day = "", region = ""] = CREDENTIAL.exec(stated.credential) ?? [];
  if (id === "") {
    throw stated.malformed(`the credential ${quoted(stated.credential)} is not one for S3`);
  }
  requireTime(stated, day, now);
  const names = requireSignedHeaders(request, stated);
  const holder = await find(id);
  if (holder === undefined) {
    throw new S3Error("InvalidAccessKeyId", `The access key ${quoted(id)} does not exist`);
  }
  const scope = `${day}/${region}/s3/aws4_request`;
  const signer = holder.signer(day, region);
  const { query } = request.target;
  const parameters = query.size === 0 ? "" : await canonicalQuery(query);
  const canonical = canonicalRequest(request, { ...stated, names, parameters });
  const text = [ALGORITHM, stated.time, scope, sha256(canonical)].join("\n");
  requireSignature(signer.sign(text), stated.signature);
  const { payload, signature, time } = stated;
  return { caller: holder.caller, payload, signature, signer, time, scope };
}

/**
 * Compares all characters, so that the time says nothing of where they differ. `timingSafeEqual` takes longer than to
 * make the signature.
 *
 * @throws {S3Error} `SignatureDoesNotMatch` when a stated signature is another one.
 */
export function requireSignature(expected: string, stated: string): void {
  let difference = 0;
  for (let at = 0; at < SIGNATURE_CHARS; at++) {
    difference |= expected.charCodeAt(at) ^ stated.charCodeAt(at);
  }
  if (SIGNATURE.test(stated) && difference === 0) return;
  throw new S3Error(
    "SignatureDoesNotMatch",
    "The signature of the request is not that of its secret access key",
  );
}

/** The SHA-256 of a text in hex. */
export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

function statedBy({ target: { query, headers } }: SignedRequest): Stated {
  const authorization = headers.get("Authorization");
  const isPresigned = query.size > 0 && PRESIGNED.some((name) => query.has(name));
  if (isPresigned && authorization !== null) {
    throw inQuery("it is signed in its headers and its address");
  }
  if (query.has("AWSAccessKeyId") || /^AWS /.test(authorization ?? "")) {
    throw new S3Error("InvalidRequest", "Signatures are of version 4 here, not of version 2");
  }
  if (!isPresigned && authorization === null) {
    throw new S3Error("AccessDenied", "A signature is required: version 4, of an access key");
  }
  if (query.has("X-Amz-Security-Token") || headers.has("X-Amz-Security-Token")) {
    throw new S3Error("InvalidToken", "No access key here has a session token");
  }
  return authorization === null
    ? statedInQuery(query, headers)
    : statedInHeader(authorization, headers);
}

function statedInHeader(authorization: string, headers: HeaderSource): Stated {
  if (!authorization.startsWith(ALGORITHM)) {
    throw new S3Error("InvalidArgument", `Invalid Authorization header: expected ${ALGORITHM}`);
  }
  const [, credential, signedHeaders, signature] = AUTHORIZATION.exec(authorization) ?? [];
  const time = headers.get("X-Amz-Date");
  const payload = headers.get("X-Amz-Content-Sha256");
  if (credential === undefined || signedHeaders === undefined || signature === undefined) {
    throw inHeader(`expected ${ALGORITHM} Credential=…, SignedHeaders=…, Signature=…`);
  }
  if (time === null || !TIME.test(time)) {
    throw new S3Error(
      "AccessDenied",
      "A time is required: X-Amz-Date, such as 20260131T235959Z",
    );
  }
  if (payload === null) throw inHeader("X-Amz-Content-Sha256 is missing");
  return { credential, signedHeaders, signature, time, payload, malformed: inHeader };
}

function statedInQuery(query: Target["query"], headers: HeaderSource): Stated {
  const [algorithm, credential, time, expires, signedHeaders, signature] = PRESIGNED.map((name) => {
    const [value, ...others] = query.get(name) ?? [];
    if (value !== undefined && others.length === 0) return value;
    throw inQuery(`${name} is required, once`);
  });
  const expiresS = /^\d{1,6}$/.test(`${expires}`) ? Number(expires) : 0;
  if (algorithm !== ALGORITHM) throw inQuery(`X-Amz-Algorithm must be ${ALGORITHM}`);
  if (expiresS < 1 || expiresS > MAX_EXPIRES_S) {
    throw inQuery(`X-Amz-Expires must be from 1 to ${MAX_EXPIRES_S} seconds`);
  }
  const payload = headers.get("X-Amz-Content-Sha256") ?? UNSIGNED;
  return {
    credential: `${credential}`,
    time: `${time}`,
    expiresS,
    signedHeaders: `${signedHeaders}`,
    signature: `${signature}`,
    payload,
    malformed: inQuery,
  };
}

function requireTime({ time, expiresS, malformed }: Stated, day: string, now: number): void {
  const at = millisecondsOf(time);
  if (Number.isNaN(at)) {
    throw malformed(`the time ${quoted(time)} is not one such as 20260131T235959Z`);
  }
  if (!time.startsWith(day)) throw malformed("the credential is for another day than the time");
  const isLate = now - at > MAX_SKEW_MS;
  if (at - now > MAX_SKEW_MS || isLate && expiresS === undefined) {
    throw new S3Error(
      "RequestTimeTooSkewed",
      `The time of the request is ${time}, and here it is ${new Date(now).toISOString()}: ` +
        "they may differ by 15 minutes",
    );
  }
  if (expiresS !== undefined && now > at + expiresS * 1000) {
    throw new S3Error("AccessDenied", "The presigned address has expired");
  }
}

/** The time that was read last. Requests of the same second state the same. */
let lastTime = { text: "", at: NaN };

/** `NaN` for what is no time. */
function millisecondsOf(text: string): number {
  if (text !== lastTime.text) {
    const [, year, month, date, hour, minute, second] = TIME.exec(text) ?? [];
    const at = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`);
    lastTime = { text, at };
  }
  return lastTime.at;
}

/** Lists of signed headers that are in order. A client signs the same headers each time. */
const LISTS = new Map<string, ReadonlySet<string>>();
const MAX_LISTS = 100;

/** The names in a list of signed headers; undefined unless they are in order, each once. */
function namesIn(list: string): ReadonlySet<string> | undefined {
  const known = LISTS.get(list);
  if (known !== undefined) return known;
  const names = list.split(";");
  const isCanonical = names.every((name, at) =>
    /^[a-z\d_.-]+$/.test(name) && (at === 0 || `${names[at - 1]}` < name)
  );
  if (!isCanonical) return undefined;
  if (LISTS.size >= MAX_LISTS) LISTS.clear();
  const made = new Set(names);
  LISTS.set(list, made);
  return made;
}

/**
 * The names of the signed headers. All that the door heeds by name must be signed: the host, and what begins
 * with `x-amz-`.
 */
function requireSignedHeaders(
  { target: { headers } }: SignedRequest,
  { signedHeaders, malformed }: Stated,
): ReadonlySet<string> {
  const names = namesIn(signedHeaders);
  if (names === undefined) throw malformed("the signed headers are not in order, each once");
  if (!names.has("host")) throw unsigned("host");
  for (const name of headers.names()) {
    if (name.startsWith("x-amz-") && !names.has(name)) throw unsigned(name);
  }
  return names;
}

function unsigned(name: string): S3Error {
  return new S3Error("AccessDenied", `The header ${quoted(name)} must be signed`);
}

function canonicalRequest(
  { method, target: { path, headers } }: SignedRequest,
  { names, parameters, signedHeaders, payload }: Pick<Stated, "signedHeaders" | "payload"> & {
    readonly names: ReadonlySet<string>;
    /** The query in its canonical form. */
    readonly parameters: string;
  },
): string {
  let lines = "";
  for (const name of names) lines += `${name}:${folded(headers.get(name) ?? "")}\n`;
  const address = PLAIN_PATH.test(path) ? path : path.split("/").map(escaped).join("/");
  return `${method}\n${address}\n${parameters}\n${lines}\n${signedHeaders}\n${payload}`;
}

/** The value of a header as signatures have it. */
function folded(value: string): string {
  return PLAIN_VALUE.test(value)
    ? value
    : value.replaceAll(/[ \t\r\n]+/g, " ").replaceAll(/^ | $/g, "");
}

async function canonicalQuery(query: Target["query"]): Promise<string> {
  const { getCanonicalQuery } = await (canonicalForm ??= loadCanonicalForm());
  return getCanonicalQuery({
    ...{ method: "", protocol: "", hostname: "", path: "", headers: {} },
    query: Object.fromEntries([...query].map(([name, values]) => [name, [...values]])),
  });
}

/** A package of CommonJS takes a tenth of the start of a server, most of which serve no S3. */
const loadCanonicalForm = () => import("@smithy/signature-v4");
let canonicalForm: ReturnType<typeof loadCanonicalForm> | undefined;

/** Nothing of it is folded. */
const PLAIN_VALUE = /^[\x21-\x7e]*$/;
/** Of these characters, none is encoded. */
const PLAIN_PATH = /^[\w.~/-]*$/;

/** Percent-encodes what signatures have encoded: all but letters, digits and `-._~`. */
function escaped(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

const inHeader = malformedWith("AuthorizationHeaderMalformed");
const inQuery = malformedWith("AuthorizationQueryParametersError");

function malformedWith(code: S3Code): Stated["malformed"] {
  return (why) => new S3Error(code, `The signature is malformed: ${why}`);
}
