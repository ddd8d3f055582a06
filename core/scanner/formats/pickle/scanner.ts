import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { emitFailuresOnThrow } from "../../contract/checkpoint.ts";
import { looksLikePickle } from "./detect.ts";
import { mlContextOf } from "./ml_context.ts";
import { PickleFile } from "./pickle_file.ts";
import { pickleChecks, suspiciousCount } from "./report.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";

const NAMED = /\.(?:pkl|pickle|pck|dill|joblib)$/i;

/** Signatures of other formats that are saved under the file names of pickles. */
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
 * Scans pickles for what their instructions import, call and modify, without running any (scanning
 * 2.1). The stages, one file each: `opcodes` (the table), `parser` (bytes to instructions), `effects`
 * (what each opcode does to the stack and memo of the `machine`), `policy` (which imports are
 * dangerous), `calls` and `mutation` (which calls and changes of objects are), `findings`, `report`
 * (findings to checks). `stream` runs the machine over one stream, `pickle_file` over all streams of
 * a file.
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
    addModel(file, context);
    yield* pickleChecks(file);
  },
};

/** Adds what a pickle shows of a model, if it has one. */
function addModel({ findings, storages, arrays, names }: PickleFile, context: ScanContext): void {
  const imports = findings.imports.values();
  const found = mlContextOf({ imports, storages: storages.values(), arrays, names });
  if (found === undefined) return;
  context.addMetadata({ ml_context: found });
  // Several tensors may share a storage, so their number is not known.
  const { dtypes, parameters } = arrays.counts.tensorFacts;
  context.addFacts({ format: "pickle", dtypes, ...parameters !== 0 && { parameters } });
}

/**
 * Whether content begins like a ZIP archive. As a pickle, it would begin by requesting a persistent
 * object, which a loader without such objects rejects.
 */
function isZip(head: Uint8Array): boolean {
  return decodeLatin1(head) === "PK\x03\x04";
}

function isOtherFormat(head: Uint8Array): boolean {
  const text = decodeLatin1(head);
  return OTHER_FORMATS.some((signature) => text.startsWith(signature));
}
