import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { looksLikePickle } from "./probe.ts";
import { PickleFile } from "./pickle_file.ts";
import { pickleChecks, suspiciousCount } from "./report.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";

const NAMED = /\.(?:pkl|pickle|pck|dill|joblib)$/i;

/** Beginnings of other formats that are saved under the names of pickles. */
const OTHER_FORMATS = [
  "PK\x03\x04",
  "PK\x05\x06",
  "\x1f\x8b",
  "BZh",
  "\xfd7zXZ\x00",
  "7z\xbc\xaf\x27\x1c",
  "Rar!",
  "\x04\x22\x4d\x18",
  "\x28\xb5\x2f\xfd",
  "\x5d\x00\x00",
  "\x78\x01",
  "\x78\x5e",
  "\x78\x9c",
  "\x78\xda",
  "\x89HDF",
  "\x93NUMPY",
  "GGUF",
  "ZF0x",
  "version https://git-lfs",
];

/**
 * Pickles: what their instructions import, call and change, without carrying any out
 * (design/scanning.md 2.1).
 */
export const pickleScanner: Scanner = {
  id: "pickle",

  matches({ source, name }: Content): boolean {
    if (source.size < 2 || isZip(source.read(0, 4))) return false;
    return looksLikePickle(source) || (NAMED.test(name) && !isOtherFormat(source.read(0, 32)));
  },

  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const file = new PickleFile(source, context.limits);
    yield* emitFailuresOnThrow(() => file.walk(), () => pickleChecks(file));
    context.addMetadata({
      max_stack_depth: file.depth,
      opcode_count: file.opcodes,
      suspicious_count: suspiciousCount(file),
    });
    yield* pickleChecks(file);
  },
};

/**
 * Whether it begins as ZIP archives do. As an instruction that would ask the loader for an object before
 * anything else, which a loader that is given no such objects refuses.
 */
function isZip(head: Uint8Array): boolean {
  return decodeLatin1(head) === "PK\x03\x04";
}

function isOtherFormat(head: Uint8Array): boolean {
  const text = decodeLatin1(head);
  return OTHER_FORMATS.some((signature) => text.startsWith(signature));
}
