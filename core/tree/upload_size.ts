import type { Chunk } from "../content.ts";
import { AppError, quoted } from "../errors.ts";
import { nameOf } from "../paths.ts";
import { formatBytes } from "../../schemas/units.ts";
import type { Tree } from "./changes.ts";
import { invalidUpload } from "./placement.ts";

/**
 * Refuses content that is too large for an upload.
 *
 * @param size In bytes, as `besides` of the upload before this content.
 * @throws {AppError} `ErrResourcesInvalidRequest`.
 */
export function refuseLarge(
  { limits: { maxUploadFileSize, maxUploadTotalSize } }: Tree,
  { path, size, besides = 0 }: { path: string; size: number; besides?: number },
): void {
  if (size > maxUploadFileSize) {
    throw invalidUpload(
      `${quoted(nameOf(path))} is larger than ${
        formatBytes(maxUploadFileSize)
      } (STRONGROOM_MAX_UPLOAD_FILE_SIZE)`,
    );
  }
  if (besides + size > maxUploadTotalSize) {
    throw invalidUpload(
      `the files exceed ${
        formatBytes(maxUploadTotalSize)
      } in total (STRONGROOM_MAX_UPLOAD_TOTAL_SIZE)`,
    );
  }
}

/** The largest file that an upload that can be resumed may have, in bytes. */
export function maxUploadSize({ limits }: Pick<Tree, "limits">): number {
  return Math.min(limits.maxUploadFileSize, limits.maxUploadTotalSize);
}

/**
 * Refuses an upload that can be resumed of more than {@link maxUploadSize}.
 *
 * @throws {AppError} `ErrUploadsTooLarge`.
 */
export function refuseOversized(tree: Tree, path: string, size: number): void {
  const max = maxUploadSize(tree);
  if (size <= max) return;
  throw new AppError(
    "ErrUploadsTooLarge",
    `Cannot upload: ${quoted(nameOf(path))} is larger than ${
      formatBytes(max)
    } (STRONGROOM_MAX_UPLOAD_FILE_SIZE)`,
  );
}

/** Passes content on. `check` receives the number of bytes so far, and throws if that is too many. */
export async function* limited(
  content: AsyncIterable<Chunk>,
  check: (size: number) => void,
): AsyncGenerator<Chunk> {
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    check(size);
    yield chunk;
  }
}
