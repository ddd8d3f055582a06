import { scanBounds } from "../../core/scans/bounds.ts";
import { type ContentScanner, ScanFailure } from "../../core/scans/ports.ts";
import type { Settings } from "../../schemas/settings.ts";
import type { ContentFiles } from "../../storage/content/content_store.ts";
import { FileSource } from "../../storage/scanners/sandbox/file_source.ts";

/** Scans content in the thread of the test. Another thread takes a fifth of a second to start, for each file. */
export function scannerHere(blobs: ContentFiles, settings: Settings): ContentScanner {
  const { maxima } = scanBounds(settings);
  return {
    async scan({ hash, name }, { skip, needsMd5, signal, onProgress }) {
      // Most tests scan nothing.
      const { scan } = await import("../../core/scanner/scan.ts");
      signal.throwIfAborted();
      await using stored = await blobs.fileOf(hash);
      using file = await Deno.open(stored.path).catch((cause) => {
        throw new ScanFailure("Content could not be read", { cause });
      });
      return scan(new FileSource(file), {
        name,
        skip,
        needsMd5,
        maxima,
        ...onProgress !== undefined && { onProgress },
      });
    },
  };
}
