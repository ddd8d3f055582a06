/** HTTP over a raw connection, for requests that a well-behaved client would not send. */

const encoder = new TextEncoder();

export interface RawRequest {
  /** The request line without the version, such as `POST /api/v1/resources/`. */
  readonly line: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged. A `Content-Length` header is added unless `headers` define the framing. */
  readonly body?: Uint8Array | string;
  /** Sends the body in pieces of this many bytes. @default the whole body */
  readonly pieceBytes?: number;
}

export interface RawReply {
  readonly status: number;
  readonly head: string;
  readonly body: string;
}

/** Sends the request on a new connection and reads the complete response. */
export async function rawRequest(origin: string, request: RawRequest): Promise<RawReply> {
  using connection = await open(origin);
  const sent = send(connection, request).catch(() => {
    // The server may respond and close before it has read everything.
  });
  const reply = await readReply(connection, request.line.startsWith("HEAD "));
  await sent;
  return reply;
}

/** Sends the request with a larger `Content-Length`, and closes the connection after the body. */
export async function abandonedRequest(
  origin: string,
  request: RawRequest & { declaredLength: number },
): Promise<void> {
  using connection = await open(origin);
  await send(connection, {
    ...request,
    headers: { ...request.headers, "Content-Length": String(request.declaredLength) },
  });
}

/** The bytes of a multipart form. Each part has its headers and content. */
export function formBody(
  parts: readonly { head: string; content?: string | Uint8Array }[],
  boundary = "boundary",
): Uint8Array<ArrayBuffer> {
  const pieces = parts.flatMap(({ head, content = "" }) => [
    `--${boundary}\r\n${head}\r\n\r\n`,
    content,
    "\r\n",
  ]);
  return joinBytes([...pieces, `--${boundary}--\r\n`]);
}

/** The header of a file part, with the file name unescaped. */
export function fileHead(filename: string, field = "files"): string {
  return `Content-Disposition: form-data; name="${field}"; filename="${filename}"`;
}

/** Joins byte arrays and strings, which are encoded as UTF-8. */
export function joinBytes(pieces: readonly (string | Uint8Array)[]): Uint8Array<ArrayBuffer> {
  const all = pieces.map((piece) => typeof piece === "string" ? encoder.encode(piece) : piece);
  const bytes = new Uint8Array(all.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of all) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function open(origin: string): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(origin);
  return Deno.connect({ hostname, port: Number(port) });
}

async function send(connection: Deno.TcpConn, request: RawRequest): Promise<void> {
  const body = joinBytes([request.body ?? ""]);
  const given = request.headers ?? {};
  const headers: Record<string, string> = { Host: "test", Connection: "close", ...given };
  const chunked = "Transfer-Encoding" in headers;
  if (!chunked && !("Content-Length" in headers)) headers["Content-Length"] = String(body.length);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  await write(connection, joinBytes([`${request.line} HTTP/1.1\r\n${lines.join("")}\r\n`]));
  const size = request.pieceBytes ?? Math.max(body.length, 1);
  for (let at = 0; at < body.length; at += size) {
    const piece = body.subarray(at, at + size);
    await write(
      connection,
      chunked ? joinBytes([`${piece.length.toString(16)}\r\n`, piece, "\r\n"]) : piece,
    );
  }
  if (chunked) await write(connection, joinBytes(["0\r\n\r\n"]));
}

async function write(connection: Deno.TcpConn, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
}

async function readReply(connection: Deno.TcpConn, isHead: boolean): Promise<RawReply> {
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65536);
  let text = "";
  for (;;) {
    const head = text.indexOf("\r\n\r\n");
    const length = isHead ? "0" : /content-length: (\d+)/i.exec(text)?.[1];
    if (head !== -1 && length !== undefined) {
      const body = text.slice(head + 4);
      if (new TextEncoder().encode(body).length >= Number(length)) {
        return { status: Number(text.slice(9, 12)), head: text.slice(0, head), body };
      }
    }
    const count = await connection.read(buffer);
    if (count === null && head !== -1 && length === undefined) {
      const body = unchunked(text.slice(head + 4));
      return { status: Number(text.slice(9, 12)), head: text.slice(0, head), body };
    }
    if (count === null) throw new Error(`Connection closed after ${JSON.stringify(text)}`);
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
}

/** What the chunks of a body have, all of them or those that have come; "" if there are none. */
function unchunked(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const chunks = new TextDecoder();
  let body = "";
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(0x0a, at) + 1;
    const size = Number.parseInt(decoder.decode(bytes.subarray(at, end)), 16);
    if (end === 0 || !(size > 0)) break;
    body += chunks.decode(bytes.subarray(end, end + size), { stream: true });
    at = end + size + "\r\n".length;
  }
  return body;
}
