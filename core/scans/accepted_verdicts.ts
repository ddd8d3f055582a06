import type { Settings } from "../../schemas/settings.ts";
import { MODEL_EXTENSIONS } from "../scanner/mod.ts";
import type { AcceptedVerdicts } from "../verdicts.ts";

/** What a gate with these settings accepts (C 18, C 31). */
export function acceptedBy(
  { gateAccept, gateUnknown }: Pick<Settings, "gateAccept" | "gateUnknown">,
): AcceptedVerdicts {
  return {
    verdicts: gateUnknown === "block" ? gateAccept : [...gateAccept, "unknown"],
    knownOnly: gateUnknown === "names" ? MODEL_EXTENSIONS : [],
  };
}
