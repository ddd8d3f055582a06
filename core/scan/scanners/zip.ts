import { isPyTorchZip } from "../archive/pytorch_layout.ts";
import { isZip } from "../archive/zip_directory.ts";
import { inspectZip } from "../archive/zip_inspection.ts";
import type { Scanner } from "../scanner.ts";

/** ZIP archives of all kinds, except those of PyTorch. */
export const zipScanner: Scanner = {
  id: "zip",
  claims: (content) => isZip(content.source) && !isPyTorchZip(content),
  *scan(content, context) {
    yield* inspectZip(content, context, "zip");
  },
};
