import { Checklist } from "../../contract/checklist.ts";
import { KERAS_CONFIGURATION, KERAS_PASSED } from "./checks.ts";
import { isKerasConfig } from "./detect.ts";
import { configFacts, configMetadata, inspectConfig } from "./config.ts";
import { decodeJson } from "./text.ts";
import type { Check, Content, ScanContext, Scanner } from "../../contract/scanner.ts";
import { MIB } from "../../../../schemas/units.ts";

/** Large, because a configuration can contain a vocabulary. */
const MAX_CONFIG_BYTES = 64 * MIB;

/** Checks Keras configurations: those in `.keras` archives, and models saved as JSON. */
export const kerasScanner: Scanner = {
  id: "keras",
  matches: isKerasConfig,
  *scan({ source }: Content, context: ScanContext): Generator<Check, void, void> {
    const checks = new Checklist(KERAS_PASSED);
    const text = decodeJson(source.read(0, MAX_CONFIG_BYTES));
    if (source.size > MAX_CONFIG_BYTES) {
      checks.add(KERAS_CONFIGURATION, {
        severity: "info",
        message:
          `The configuration has ${source.size} bytes; only the first ${MAX_CONFIG_BYTES} were checked`,
        ruleCode: "S904",
        incomplete: "json_size_limit",
        operational: true,
      });
    }
    const facts = inspectConfig(text, { kind: "config" }, checks, context);
    if (facts?.isKeras) {
      context.addMetadata(configMetadata(facts));
      context.addFacts({ format: "keras", ...configFacts(facts) });
    } else if (facts?.kerasVersion) context.addMetadata({ keras_version: facts.kerasVersion });
    yield* checks.finish();
  },
};
