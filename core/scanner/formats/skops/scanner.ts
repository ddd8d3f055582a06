import { Checklist } from "../../contract/checklist.ts";
import { fileNameOf } from "../../contract/names.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { parseLenientJson } from "../../readers/json/parse_lenient_json.ts";
import { MIB } from "../../../../schemas/units.ts";
import { objectsIn } from "../keras/config_values.ts";
import { decodeJson } from "../keras/text.ts";
import { excerpt } from "../../contract/excerpt.ts";
import { isObject } from "../../../../schemas/json.ts";
import { modelMetadata } from "../model/metadata.ts";
import { checkNode } from "./node.ts";

const STRUCTURE = "skops Structure";
const NODES = "skops Types";

const PASSED = {
  [STRUCTURE]: "The whole schema was read",
  [NODES]: "All types and functions are known to be harmless",
};

const HEAD_BYTES = 64 * 1024;
const MAX_SCHEMA_BYTES = 64 * MIB;

/** Checks the `schema.json` of skops files, which names the types that the loader makes (scanning 2.11). */
export const skopsScanner: Scanner = {
  id: "skops",
  matches({ name, source }: Content): boolean {
    return fileNameOf(name) === "schema.json" &&
      decodeLatin1(source.read(0, HEAD_BYTES)).replaceAll("\0", "").includes("__loader__");
  },
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist(PASSED);
    const parsed = parseLenientJson(decodeJson(source.read(0, MAX_SCHEMA_BYTES)));
    if ("fault" in parsed || source.size > MAX_SCHEMA_BYTES) {
      const isLimit = source.size > MAX_SCHEMA_BYTES ||
        "fault" in parsed && parsed.fault === "json_value_limit";
      checks.add(STRUCTURE, {
        severity: "info",
        ruleCode: "S902",
        message: isLimit ? "The schema is too large to read" : "The schema is not valid JSON",
        incomplete: isLimit ? "json_size_limit" : "malformed_json",
        ...(isLimit && { operational: true }),
      });
    }
    if ("value" in parsed) {
      context.addMetadata(metadataOf(parsed.value));
      for (const node of objectsIn(parsed.value)) {
        const finding = checkNode(node);
        if (finding !== undefined) checks.add(NODES, finding);
      }
    }
    yield* checks.finish();
  },
};

/** What is known of the model: the class of the outermost object. */
function metadataOf(schema: unknown): Readonly<Record<string, unknown>> {
  const type = isObject(schema) ? schema["__class__"] : undefined;
  return modelMetadata({
    framework: "scikit-learn",
    indicator: "schema of skops",
    context: {
      training_framework: "scikit-learn",
      ...typeof type === "string" && { model_type: excerpt(type) },
    },
  });
}
