import { isPyTorchZip } from "./pytorch_layout.ts";
import { isZip } from "./directory.ts";
import { inspectZip } from "./inspection.ts";
import { isEntryOfTar } from "./in_tar.ts";
import type { Scanner } from "../../contract/scanner.ts";

/** ZIP archives of all kinds, except those of PyTorch and those that a TAR archive holds. */
export const zipScanner: Scanner = {
  id: "zip",
  matches: (content) =>
    isZip(content.source) && !isPyTorchZip(content) && !isEntryOfTar(content.source),
  *scan(content, context) {
    yield* inspectZip(content, context, "zip");
  },
};
