import type { Checklist } from "../../contract/checklist.ts";
import type { Content, ScanContext } from "../../contract/scanner.ts";
import { type ByteSource, sourceSlice } from "../../contract/source.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { readJson } from "../../readers/json/read_json.ts";
import { readUbjson } from "../../readers/ubjson/read_ubjson.ts";
import { MIB } from "../../../../schemas/units.ts";
import { modelMetadata } from "../model/metadata.ts";
import { modelScanner } from "../model/scanner.ts";
import { BoosterCheck, TEXT, TREES } from "./booster.ts";

const STRUCTURE = "XGBoost Model Structure";
const MAX_JSON_BYTES = 128 * MIB;
const HEAD_BYTES = 32;

/** Checks models of XGBoost in UBJSON and JSON. The binary format before version 1 is inconclusive. */
export const xgboostScanner = modelScanner({
  id: "xgboost",
  structure: STRUCTURE,
  passed: {
    [STRUCTURE]: "The model was read completely",
    [TREES]: "Every node of a tree refers to nodes and features that exist",
    [TEXT]: "No text contains code, paths or credentials",
  },
  matches: (content) => encodingOf(content) !== undefined,
  inspect(content, context, checks) {
    const encoding = encodingOf(content);
    if (encoding === "binary") {
      return checks.add(STRUCTURE, {
        severity: "info",
        message: "The binary format of old versions of XGBoost is not read",
        ruleCode: "S902",
        incomplete: "xgboost_binary",
      });
    }
    const booster = new BoosterCheck(checks);
    if (encoding === "json") readJsonModel(content.source, booster, checks);
    else readUbjsonModel(content.source, booster, checks, context);
    context.addMetadata(modelMetadata({
      framework: "xgboost",
      version: booster.version,
      indicator: encoding === "json" ? "learner in JSON" : "learner in UBJSON",
      context: { model_type: "boosted trees", training_framework: "xgboost" },
      facts: { tree_count: booster.trees },
    }));
  },
});

/** The encoding, by the first bytes: an object whose first key is `learner`, or the old magic. */
function encodingOf({ source }: Content): "json" | "ubjson" | "binary" | undefined {
  const [first] = source.read(0, 1);
  if (first !== 0x7b && first !== 0x62) return undefined;
  const head = decodeLatin1(source.read(0, HEAD_BYTES));
  if (/^\{\s*"(?:learner|Config)"/.test(head)) return "json";
  if (/^\{[LlIiU]\0{0,7}$/.test(head.split("\x07learner", 1)[0] ?? "")) return "ubjson";
  return head.startsWith("binf") ? "binary" : undefined;
}

/** The manifest scanner reads the JSON as well, and checks its texts. */
function readJsonModel(source: ByteSource, booster: BoosterCheck, checks: Checklist): void {
  for (const event of readJson(source, MAX_JSON_BYTES)) {
    if (event.kind === "defect") {
      const { kind: _, ...finding } = event;
      checks.add(STRUCTURE, { ...finding, ruleCode: "S902" });
    } else if (event.kind === "value") booster.take(event);
  }
}

function readUbjsonModel(
  source: ByteSource,
  booster: BoosterCheck,
  checks: Checklist,
  context: ScanContext,
): void {
  const values = readUbjson(source);
  let next = values.next();
  for (; !next.done; next = values.next()) {
    booster.take(next.value);
    booster.checkText(next.value);
  }
  const end = next.value;
  if (end === source.size) return;
  checks.add(STRUCTURE, {
    severity: "warning",
    message: `${source.size - end} bytes follow the model`,
    position: end,
    ruleCode: "S908",
  });
  context.scanMember("trailing data", sourceSlice(source, end, source.size));
}
