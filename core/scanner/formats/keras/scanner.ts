import { Checklist } from "../../contract/checklist.ts";
import { KERAS_CONFIGURATION, KERAS_PASSED } from "./checks.ts";
import { isKerasConfig } from "./detect.ts";
import { configNotes, inspectConfig } from "./config.ts";
import { decodeJson } from "./text.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Bytes of a configuration that are read; a vocabulary may come with it. */
const MAX_BYTES = 64 * MIB;

/** Configurations of Keras: those of a `.keras` archive, and models that were saved as JSON. */
export const kerasScanner: Scanner = {
  id: "keras",
  matches: isKerasConfig,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist(KERAS_PASSED);
    const text = decodeJson(source.read(0, MAX_BYTES));
    if (source.size > MAX_BYTES) {
      checks.add(KERAS_CONFIGURATION, {
        severity: "info",
        message: `The configuration is longer than the ${MAX_BYTES} bytes that are read of one`,
        ruleCode: "S904",
        incomplete: "json_size_limit",
        operational: true,
      });
    }
    const facts = inspectConfig(text, { kind: "config" }, checks, context);
    if (facts?.isKeras) context.addMetadata(configNotes(facts));
    else if (facts?.kerasVersion) context.addMetadata({ keras_version: facts.kerasVersion });
    yield* checks.finish();
  },
};
