import type { Context } from "hono";
import { AppError, quoted } from "../../core/errors.ts";
import type { AppEnvironment } from "./environment.ts";

/**
 * The path of a file or directory in the address of a request, decoded once: a plus is a plus. "" if the address
 * has none.
 *
 * @param slashesBefore How many slashes of the route precede it.
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not percent-encoded UTF-8.
 */
export function pathInAddress(c: Context<AppEnvironment>, slashesBefore: number): string {
  const [address = ""] = /^[^?#]*/.exec(c.req.url) ?? [];
  const afterOrigin = address.slice(address.indexOf("/", address.indexOf("://") + 3));
  // A proxy may have left the path of the public URL, which that of the route lacks.
  const slash = afterOrigin.endsWith("/") ? "/" : "";
  const inPath = `${c.req.path}${slash}`.split("/").length - slashesBefore;
  return inPath <= 0 ? "" : decodePath(afterOrigin.split("/").slice(-inPath).join("/"));
}

/**
 * Decodes a path once.
 *
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not percent-encoded UTF-8.
 */
export function decodePath(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch (error) {
    throw new AppError(
      "ErrResourcesInvalidRequest",
      `Invalid path ${quoted(encoded)}: it is not percent-encoded UTF-8`,
      { cause: error },
    );
  }
}
