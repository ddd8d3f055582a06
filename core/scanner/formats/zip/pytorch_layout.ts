import type { Content } from "../../contract/scanner.ts";
import { isZip, readZipDirectories } from "./directory.ts";
import { decodedName } from "./headers.ts";

/** How many entries are looked at to tell the archives of PyTorch from others. */
const MOST_ENTRIES = 10_000;

/** What archives of PyTorch have one of in their top folder: those of today, or an older TorchScript. */
const MARK = /^[^/]+\/(?:data|constants|attributes)\.pkl$/;
const EXTENSION = /\.(?:pt|pth|ptl|pt2)$/i;

/** Whether content is a ZIP archive that PyTorch loads, by its members or by its name. */
export function isPyTorchZip(content: Content): boolean {
  if (!isZip(content.source)) return false;
  if (EXTENSION.test(content.name)) return true;
  const { directories } = readZipDirectories(content.source, MOST_ENTRIES);
  return directories.some(({ entries }) => entries.some((entry) => MARK.test(decodedName(entry))));
}
