import type { Content } from "../../contract/scanner.ts";
import { isZip, readZipDirectories } from "./directory.ts";
import { decodedName } from "./headers.ts";
import { isEntryOfTar } from "./tar_entry.ts";

/** Entries searched for the marker member. */
const MAX_SEARCHED_ENTRIES = 10_000;

/** The member at the top folder of a PyTorch archive: current formats, or older TorchScript. */
const MARKER = /^[^/]+\/(?:data|constants|attributes)\.pkl$/;
const EXTENSION = /\.(?:pt|pth|ptl|pt2)$/i;

/**
 * Whether content is a ZIP archive that PyTorch loads, by its members or by its name. This is here, and
 * not with the PyTorch scanner, so that the ZIP scanner can exclude such archives without an import
 * circle.
 */
export function isPyTorchZip(content: Content): boolean {
  if (!isZip(content.source) || isEntryOfTar(content.source)) return false;
  if (EXTENSION.test(content.name)) return true;
  const { directories } = readZipDirectories(content.source, MAX_SEARCHED_ENTRIES);
  return directories.some(({ entries }) =>
    entries.some((entry) => MARKER.test(decodedName(entry)))
  );
}
