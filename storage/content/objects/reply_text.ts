import { S3Failure } from "./failures.ts";

/**
 * Reads the body of a reply as text.
 *
 * @param stallMs How long the store may take for the next bytes, in milliseconds.
 * @param maxBytes More is left out.
 * @throws {S3Failure} when it takes longer.
 */
export async function replyText(
  response: Response,
  { stallMs, maxBytes }: { readonly stallMs: number; readonly maxBytes: number },
): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let bytes = 0; bytes < maxBytes;) {
      const { value } = await inTime(reader.read(), stallMs);
      if (value === undefined) return text;
      bytes += value.length;
      text += decoder.decode(value, { stream: true });
    }
    return text;
  } finally {
    // The connection may have failed before.
    await reader.cancel().catch(() => {});
  }
}

/**
 * Waits for the next bytes of a reply.
 *
 * @throws {S3Failure} when they take longer than `ms` milliseconds.
 */
export async function inTime<T>(result: Promise<T>, ms: number): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new S3Failure(`The content store sent nothing for ${ms} ms`)),
    ms,
  );
  try {
    return await Promise.race([result, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
