/** A client of the S3 door that signs by itself, so that a test can forge any part of a request. */

import { createHash, createHmac } from "node:crypto";
import { keyIds } from "../../core/credentials.ts";
import { type AccessKey, newAccessKey } from "../../core/s3/access_keys.ts";
import { shortTokenSha256 } from "../../core/short_credentials.ts";
import type { TreePrivileges } from "../../schemas/credentials.ts";
import { type RawReply, rawRequest } from "./raw_http.ts";
import { SECRET, type TestServer, USER_PRIVILEGES } from "./server.ts";

/** A request to sign. */
export interface S3Request {
  readonly method: string;
  /** As it is sent, such as `/s3/own/a%20b`. */
  readonly path: string;
  /** Decoded. @default none */
  readonly query?: Readonly<Record<string, string>>;
  /** Signed. @default none */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The header `x-amz-content-sha256`. @default the SHA-256 of the body */
  readonly payload?: string;
  /** @default now */
  readonly time?: Date;
  readonly region?: string;
}

/** A signed request, as it is sent. */
export interface SignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** Registers an access key of a user. */
export async function accessKeyOf(
  { credentials }: TestServer,
  {
    userId = 7,
    privileges = USER_PRIVILEGES,
    trees = {},
    jti = crypto.randomUUID(),
    isBound = false,
  }: {
    userId?: number;
    privileges?: readonly string[];
    trees?: TreePrivileges;
    jti?: string;
    isBound?: boolean;
  } = {},
): Promise<AccessKey> {
  const key = newAccessKey(SECRET);
  const [keyId] = keyIds({ kind: "secret", secret: SECRET });
  const now = Date.now();
  await credentials.add({
    ...{ jti, userId, privileges, trees, isBound },
    quota: undefined,
    label: undefined,
    parent: "root",
    parentIssuedAt: now,
    mintedAt: now,
    expiresAt: now + 3_600_000,
    short: { tokenSha256: shortTokenSha256(key.id), keyId, accessKeyId: key.id },
  }, 1000);
  return key;
}

export class S3Client {
  readonly #origin: string;
  readonly #key: AccessKey;

  constructor({ origin }: Pick<TestServer, "origin">, key: AccessKey) {
    this.#origin = origin;
    this.#key = key;
  }

  /** A client of a user with the privileges of users. */
  static async of(
    server: TestServer,
    holder: Parameters<typeof accessKeyOf>[1] = {},
  ): Promise<S3Client> {
    return new S3Client(server, await accessKeyOf(server, holder));
  }

  async request(request: S3Request): Promise<RawReply> {
    return await this.send(this.sign(request));
  }

  /** Sends a request as it is. */
  send({ method, path, query, headers, body }: SignedRequest): Promise<RawReply> {
    const line = `${method} ${path}${query === "" ? "" : `?${query}`}`;
    return rawRequest(this.#origin, { line, headers, body });
  }

  /** Signs a request in its headers. */
  sign(request: S3Request): SignedRequest {
    const { method, path, query = {}, body = "", time = new Date() } = request;
    const payload = request.payload ?? hex(body);
    const headers: Record<string, string> = {
      ...request.headers,
      Host: new URL(this.#origin).host,
      "x-amz-content-sha256": payload,
      "x-amz-date": timeText(time),
    };
    const { signature, scope, names } = this.#signature(request, { headers, query, payload, time });
    headers.Authorization = `AWS4-HMAC-SHA256 Credential=${this.#key.id}/${scope}, ` +
      `SignedHeaders=${names}, Signature=${signature}`;
    return { method, path, query: queryText(query), headers, body };
  }

  /** Signs a request in its address. */
  presign(request: S3Request, expires = "60"): SignedRequest {
    const { method, path, body = "", time = new Date(), region = "us-east-1" } = request;
    const Host = new URL(this.#origin).host;
    const headers = { ...request.headers, Host };
    const query: Record<string, string> = {
      ...request.query,
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": `${this.#key.id}/${scopeOf(time, region)}`,
      "X-Amz-Date": timeText(time),
      "X-Amz-Expires": expires,
      "X-Amz-SignedHeaders": Object.keys(headers).map((it) => it.toLowerCase()).sort().join(";"),
    };
    const payload = "UNSIGNED-PAYLOAD";
    const { signature } = this.#signature(request, { headers, query, payload, time });
    const signed = { ...query, "X-Amz-Signature": signature };
    return { method, path, query: queryText(signed), headers, body };
  }

  /** Signs a request whose body comes in signed chunks, with a trailer if there is one. */
  signChunks(
    request: Omit<S3Request, "body">,
    chunks: readonly string[],
    trailer: Readonly<Record<string, string>> = {},
  ): SignedRequest {
    const time = request.time ?? new Date();
    const names = Object.keys(trailer);
    const form = names.length > 0 ? "PAYLOAD-TRAILER" : "PAYLOAD";
    const signed = this.sign({
      ...request,
      time,
      payload: `STREAMING-AWS4-HMAC-SHA256-${form}`,
      headers: {
        ...request.headers,
        "content-encoding": "aws-chunked",
        "x-amz-decoded-content-length": String(chunks.join("").length),
        ...(names.length > 0 && { "x-amz-trailer": names.join(",") }),
      },
    });
    let former = signed.headers.Authorization?.slice(-64) ?? "";
    const scope = scopeOf(time, request.region ?? "us-east-1");
    const sign = (kind: string, ...rest: string[]) =>
      hmac(this.#signingKey(scope), [kind, timeText(time), scope, former, ...rest].join("\n"))
        .toString("hex");
    const parts = [...chunks, ""].map((chunk) => {
      former = sign("AWS4-HMAC-SHA256-PAYLOAD", hex(""), hex(chunk));
      return `${chunk.length.toString(16)};chunk-signature=${former}\r\n${chunk}${
        chunk === "" ? "" : "\r\n"
      }`;
    });
    const lines = Object.entries(trailer).map(([name, value]) => `${name}:${value}\n`).join("");
    const end = names.length === 0 ? "" : lines.replaceAll("\n", "\r\n") +
      `x-amz-trailer-signature:${sign("AWS4-HMAC-SHA256-TRAILER", hex(lines))}\r\n`;
    return { ...signed, body: `${parts.join("")}${end}\r\n` };
  }

  #signature(
    { method, path, region = "us-east-1" }: S3Request,
    { headers, query, payload, time }: {
      headers: Readonly<Record<string, string>>;
      query: Readonly<Record<string, string>>;
      payload: string;
      time: Date;
    },
  ): { signature: string; scope: string; names: string } {
    const sorted = Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value.trim().replaceAll(/ +/g, " ")] as const)
      .sort(([a], [b]) => a < b ? -1 : 1);
    const names = sorted.map(([name]) => name).join(";");
    const canonical = [
      method,
      path.split("/").map((it) => encoded(decodeURIComponent(it))).join("/"),
      queryText(query),
      ...sorted.map(([name, value]) => `${name}:${value}`),
      "",
      names,
      payload,
    ].join("\n");
    const scope = scopeOf(time, region);
    const text = ["AWS4-HMAC-SHA256", timeText(time), scope, hex(canonical)].join("\n");
    return { signature: hmac(this.#signingKey(scope), text).toString("hex"), scope, names };
  }

  #signingKey(scope: string): Uint8Array {
    return scope.split("/").reduce<Uint8Array>(
      hmac,
      new TextEncoder().encode(`AWS4${this.#key.secret}`),
    );
  }
}

/** A time such as `20260131T235959Z`. */
export function timeText(time: Date): string {
  return time.toISOString().replaceAll(/[-:]|\.\d+/g, "");
}

function scopeOf(time: Date, region: string): string {
  return `${timeText(time).slice(0, 8)}/${region}/s3/aws4_request`;
}

function queryText(query: Readonly<Record<string, string>>): string {
  return Object.entries(query).map(([name, value]) => [encoded(name), encoded(value)] as const)
    .sort(([a], [b]) => a < b ? -1 : 1).map(([name, value]) => `${name}=${value}`).join("&");
}

function encoded(text: string): string {
  return encodeURIComponent(text)
    .replaceAll(/[!'()*]/g, (it) => `%${it.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hex(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

function hmac(key: Uint8Array, text: string) {
  return createHmac("sha256", key).update(text).digest();
}
