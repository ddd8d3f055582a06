import type { Checklist } from "../../contract/checklist.ts";
import type { ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { decodeLatin1, viewOf } from "../../readers/bytes/bytes.ts";
import { FlatbufferReader, type FlatTable } from "../../readers/flatbuffers/flatbuffer.ts";
import { MalformedError } from "../../readers/malformed.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { checkModelText } from "../model/text.ts";

const STRUCTURE = "CatBoost Model Structure";
const TEXT = "CatBoost Text";
const TRAILING = "CatBoost Trailing Data";

/** Checks models of CatBoost: the structure of the core, and the texts of its information map. */
export const catBoostScanner = modelScanner({
  id: "catboost",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: ({ source }) => hasMagic(source),
  inspect({ source }, context, checks) {
    const core = coreOf(source);
    const reader = new FlatbufferReader(core);
    const root = reader.root();
    const version = reader.text(root, Core.version, MAX_TEXT_BYTES);
    const info = readInfo(reader, root, checks);
    const parts = [...reader.texts(root, Core.parts, MAX_TEXT_BYTES)];
    const trees = reader.table(root, Core.trees);
    const treeCount = trees === undefined ? 0 : reader.vector(trees, TREE_SIZES, 4).count;
    if (parts.length === 0) {
      checks.begin(TRAILING, "The file ends with the model");
      checkEnd(source, HEAD_BYTES + core.size, checks, context);
    }
    context.addMetadata(modelMetadata({
      framework: "catboost",
      version,
      indicator: "CBM1 magic",
      context: { model_type: "boosted trees", training_framework: "catboost" },
      facts: { tree_count: treeCount, info_keys: info, model_parts: parts },
    }));
  },
});

/** Numbers of fields in the schema that are read. */
const Core = { version: 0, trees: 1, info: 2, parts: 3 } as const;
const KeyValue = { key: 0, value: 1 } as const;
const TREE_SIZES = 3;

/** The magic and the size of the core. */
const HEAD_BYTES = 8;
const MAX_TEXT_BYTES = 256 * 1024;
const MAX_INFO = 1000;

function hasMagic(source: ByteSource): boolean {
  return decodeLatin1(source.read(0, 4)) === "CBM1";
}

function coreOf(source: ByteSource): ByteSource {
  const head = source.read(0, HEAD_BYTES);
  const size = head.length < HEAD_BYTES ? 0 : viewOf(head).getUint32(4, true);
  if (HEAD_BYTES + size <= source.size && size > 0) return sourceSlice(source, HEAD_BYTES, size);
  throw new MalformedError("truncated", `The core of ${size} bytes does not fit in the file`);
}

/** Checks the information map. @returns its keys. */
function readInfo(reader: FlatbufferReader, root: FlatTable, checks: Checklist): string[] {
  const keys: string[] = [];
  for (const entry of reader.tables(root, Core.info)) {
    if (keys.length >= MAX_INFO) break;
    const key = reader.text(entry, KeyValue.key, MAX_TEXT_BYTES);
    const value = reader.text(entry, KeyValue.value, MAX_TEXT_BYTES);
    keys.push(key.slice(0, 100));
    checkModelText(TEXT, "A key of the information map", key, checks);
    checkModelText(TEXT, "A value of the information map", value, checks);
  }
  return keys;
}

function checkEnd(
  source: ByteSource,
  end: number,
  checks: Checklist,
  context: ScanContext,
): void {
  if (end === source.size) return;
  checks.add(TRAILING, {
    severity: "warning",
    message: `${source.size - end} bytes follow the model`,
    position: end,
    ruleCode: "S908",
  });
  context.scanMember("trailing data", sourceSlice(source, end, source.size));
}
