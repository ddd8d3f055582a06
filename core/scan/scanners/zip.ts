import { isPyTorchZip } from "../archive/pytorch_layout.ts";
import { isZip } from "../archive/zip_directory.ts";
import { inspectZip } from "../archive/zip_inspection.ts";
import { isEntryOfTar } from "../archive/zip_in_tar.ts";
import type { Scanner } from "../scanner.ts";

/** ZIP archives of all kinds, except those of PyTorch and those that a TAR archive holds. */
export const zipScanner: Scanner = {
  id: "zip",
  claims: (content) =>
    isZip(content.source) && !isPyTorchZip(content) && !isEntryOfTar(content.source),
  *scan(content, context) {
    yield* inspectZip(content, context, "zip");
  },
};
