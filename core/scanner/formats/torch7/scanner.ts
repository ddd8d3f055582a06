import type { Content } from "../../contract/scanner.ts";
import type { ByteSource } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { ElementCounts } from "../tensors/element_counts.ts";
import { CLASSES, FUNCTIONS, ObjectWalk, TEXT } from "./walk.ts";

const STRUCTURE = "Torch7 Structure";
const TRAILING = "Torch7 Trailing Data";

/** Checks serialized objects of Torch7 (Lua): functions, which are code, and classes. */
export const torch7Scanner = modelScanner({
  id: "torch7",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The object was read completely",
    [FUNCTIONS]: "The object has no functions",
    [CLASSES]: "Every class is one of Torch7",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: (content) => isBinary(content) || isText(content.source),
  inspect(content, context, checks) {
    const { source } = content;
    if (!isBinary(content)) {
      return checks.add(STRUCTURE, {
        severity: "info",
        message: "Torch7's text format is not read",
        ruleCode: "S902",
        incomplete: "torch7_text",
      });
    }
    const walk = new ObjectWalk(source, checks);
    try {
      walk.run();
    } finally {
      const counts = new ElementCounts();
      for (const [type, elements] of walk.storages) counts.add(type, BigInt(elements));
      context.addMetadata(modelMetadata({
        framework: "torch7",
        indicator: "serialized Lua object",
        context: {
          ...counts.facts,
          layer_count_estimate: walk.modules,
          training_framework: "torch7",
        },
      }));
    }
    checks.begin(TRAILING, "The file ends with the object");
    if (walk.end === source.size) return;
    // Torch7 can append objects to a file, which are read one by one.
    checks.add(TRAILING, {
      severity: "info",
      message: `${source.size - walk.end} bytes follow the first object`,
      position: walk.end,
      ruleCode: "S902",
      incomplete: "trailing_data",
    });
  },
});

/** An object or a table with index 1. The name decides for tables, whose start is short. */
function isBinary({ name, source }: Content): boolean {
  const head = decodeLatin1(source.read(0, 15));
  if (head === "\x04\0\0\0\x01\0\0\0\x03\0\0\0V 1") return true;
  return TABLE_HEADS.some((start) => head.startsWith(start)) &&
    /\.(?:t7|th|net|torch)$/i.test(name);
}

/** The beginnings of a table and of functions. */
const TABLE_HEADS = ["\x03\0\0\0\x01\0\0\0", "\x06\0\0\0", "\x07\0\0\0", "\x08\0\0\0"];

/** The same object in the text format, which has a line for each number. */
function isText(source: ByteSource): boolean {
  return decodeLatin1(source.read(0, 11)) === "4\n1\n3\nV 1\n";
}
