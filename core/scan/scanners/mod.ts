import type { Scanner } from "../scanner.ts";
import { compressedScanner } from "./compressed.ts";
import { pyTorchZipScanner } from "./pytorch_zip.ts";
import { tarScanner } from "./tar.ts";
import { unsupportedArchiveScanner } from "./unsupported_archive.ts";
import { zipScanner } from "./zip.ts";

/** All scanners, in the order in which they run. */
export const SCANNERS: readonly Scanner[] = [
  pyTorchZipScanner,
  zipScanner,
  tarScanner,
  compressedScanner,
  unsupportedArchiveScanner,
];

/** To be raised with every change of what scanners find: kept results of another version are not used. */
export const SCANNERS_VERSION = "1";
