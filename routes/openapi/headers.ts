import { componentPath, type Json } from "./parts.ts";

const text = (description: string, example: string): Json => ({
  description,
  schema: { type: "string" },
  example,
});

/** The headers that some replies have. */
const HEADERS = {
  "WWW-Authenticate": text("The scheme of the credential (RFC 6750)", 'Bearer realm="strongroom"'),
  "Retry-After": {
    description: "After how many seconds to try again",
    schema: { type: "integer", minimum: 1 },
    example: 30,
  },
  "Allow": text("The methods that the address allows", "GET, HEAD"),
  "ETag": text("The entity tag of the content: its MD5", '"5d41402abc4b2a76b9719d911017c592"'),
  "Last-Modified": text("When the record was last changed", "Sun, 22 Nov 2026 09:00:00 GMT"),
  "Accept-Ranges": {
    description: "Whether ranges can be requested",
    schema: { enum: ["bytes", "none"] },
    example: "bytes",
  },
  "Content-Range": text("The range that is sent, and the size of the content", "bytes 0-99/1000"),
  "X-Version": {
    description: "The version that was read, if the request says at",
    schema: { type: "integer", minimum: 0 },
    example: 42,
  },
  "Location": text(
    "The address of the upload, relative to that of the request",
    "uploads/3f2a9c1d",
  ),
  "Tus-Resumable": text("The version of the protocol", "1.0.0"),
  "Tus-Version": text("The versions that the server supports", "1.0.0"),
  "Tus-Extension": text("The extensions that the server supports", "creation,checksum"),
  "Tus-Max-Size": text("The largest file in bytes", "314572800"),
  "Tus-Checksum-Algorithm": text("The algorithms of checksums", "sha1,sha256,md5"),
  "Upload-Length": text("The size of the file in bytes", "5"),
  "Upload-Defer-Length": text("1 if the size of the file is not known yet", "1"),
  "Upload-Concat": text("partial, or final with the addresses of its parts", "partial"),
  "Upload-Offset": text("How many bytes have been received", "0"),
  "Upload-Metadata": text("As the client sent it", "path bW9kZWxz"),
  "Upload-Expires": text(
    "When the upload expires unless it is complete",
    "Mon, 23 Nov 2026 09:00:00 GMT",
  ),
  "Content-Disposition": text("The name of the file", 'attachment; filename="model.safetensors"'),
} as const satisfies Readonly<Record<string, Json>>;

export type HeaderName = keyof typeof HEADERS;

/** The header that every reply has. */
export const REQUEST_ID: Json = {
  ...text("Names the request in the log", "0b4ee3f6-8d2c-4a5e-9b0e-2f6a1c7d8e90"),
  required: true,
};

/** The headers of a reply: those that it always has, besides {@link REQUEST_ID}, and those that it may have. */
export function headersOf(
  always: readonly HeaderName[] = [],
  sometimes: readonly HeaderName[] = [],
): Json {
  return {
    "X-Request-Id": { $ref: componentPath("headers", "X-Request-Id") },
    ...Object.fromEntries(always.map((name) => [name, { ...HEADERS[name], required: true }])),
    ...Object.fromEntries(sometimes.map((name) => [name, HEADERS[name]])),
  };
}
