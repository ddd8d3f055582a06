import { quoted } from "../../core/errors.ts";
import { isTurnOver, takeTurn } from "../../core/event_loop.ts";
import type { UploadPart } from "../../core/tree/upload.ts";
import { type BodyLimits, BodyReader, tooLarge, unreadable } from "./body.ts";
import { FormReader } from "./form_reader.ts";
import { dispositionOf } from "./part_head.ts";

/**
 * The files of a multipart form (RFC 7578) as it streams in. Reads only what is asked for. Ending the
 * iteration early lets the server discard the rest of the body.
 * See docs/design/uploads.md.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when the body is not a complete form, is larger than
 *   `maxBytes` (RS 4.2.2), or stalls.
 */
export async function* uploadParts(
  request: Request,
  limits: BodyLimits,
): AsyncGenerator<UploadPart, void> {
  const boundary = boundaryOf(request.headers.get("Content-Type"));
  const declared = Number(request.headers.get("Content-Length") ?? 0);
  if (declared > limits.maxBytes) throw tooLarge("form", limits);
  const body = new BodyReader(request, "form", limits);
  using form = new FormReader(body, boundary);
  try {
    for (let head = await form.nextPart(); head !== undefined; head = await form.nextPart()) {
      // Memory has thousands of small parts.
      if (isTurnOver()) await takeTurn();
      const { name, filename } = dispositionOf(head);
      if ((name !== "files" && name !== "file") || filename === undefined) continue;
      yield { field: name, filename, content: form.content() };
    }
  } finally {
    await body.cancel();
  }
}

const FORM_TYPE = /^\s*multipart\/form-data\s*;/i;
const BOUNDARY = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))\s*(?:;|$)/iy;

/** The boundary that a Content-Type names, the last if there are several (RFC 2046, 5.1.1). */
function boundaryOf(contentType: string | null): string {
  const value = contentType ?? "";
  // Position of the first semicolon.
  const start = (FORM_TYPE.exec(value)?.[0].length ?? Infinity) - 1;
  let boundary: string | undefined;
  for (
    let at = value.lastIndexOf(";");
    at >= start && boundary === undefined;
    at = value.lastIndexOf(";", at - 1)
  ) {
    BOUNDARY.lastIndex = at;
    const match = BOUNDARY.exec(value);
    boundary = match?.[1] ?? match?.[2];
  }
  if (boundary === undefined) {
    throw unreadable(
      "form",
      `the Content-Type is ${quoted(value)}, not multipart/form-data with a boundary`,
    );
  }
  return boundary;
}
