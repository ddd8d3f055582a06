import type { Scanner } from "../../contract/scanner.ts";
import { isZip } from "./directory.ts";
import { inspectZip } from "./inspection.ts";
import { isPyTorchZip } from "./pytorch_layout.ts";
import { isEntryOfTar } from "./tar_entry.ts";

/** Scans ZIP archives, except PyTorch archives and ZIP files stored in a TAR archive. */
export const zipScanner: Scanner = {
  id: "zip",
  matches: (content) =>
    isZip(content.source) && !isPyTorchZip(content) && !isEntryOfTar(content.source),
  *scan(content, context) {
    yield* inspectZip(content, context, { scanner: "zip" });
  },
};
