/** Scans pickles of few bytes whose values take much memory. Run with a heap of little more than they may take. */

import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { scan } from "../../../../../core/scanner/scan.ts";
import { bytes } from "./pickle_bytes.ts";
import { P4 } from "./pickle_parts.ts";

const FILE_BYTES = 7_900_000;

/** The part that a pickle repeats, after what it begins with. */
const SHAPES: readonly (readonly [begin: string, part: string])[] = [
  ["N", "\x85"],
  ["(", "]\x94"],
  ["(", "]NaNa\x94"],
  ["(", "}(NNu\x94"],
  ["(", "(NNt\x94"],
  ["(", "(\x8c\x00\x8c\x00\x8c\x00\x8c\x00t\x94"],
  ["(", "(M\x01\x01M\x01\x01M\x01\x01l\x94"],
  ["", "("],
  ["(", "M\x01\x01"],
  ["(", "\x8c\x00"],
  ["(", "\x8c\x00\x94"],
  ["cc\nOrderedDict\n\x94(", "h\x00)R\x94"],
  ["(", "cc\nx\n\x94"],
];

for (const [begin, part] of SHAPES) {
  const count = Math.floor(FILE_BYTES / part.length);
  const content = new Uint8Array(begin.length + 2 + count * part.length);
  content.set(bytes(P4, begin));
  const repeated = bytes(part);
  for (let i = 0; i < count; i++) content.set(repeated, 2 + begin.length + i * part.length);
  const { inconclusive } = scan(memorySource(content), { name: "model.pkl" });
  console.log(JSON.stringify(begin + part), inconclusive.join());
}
