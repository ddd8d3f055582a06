import type { Facts } from "../../schemas/facts.ts";
import type { VerdictFinding, Waiver } from "../verdicts.ts";

/** A part of a bill of materials, as JSON. */
export type BomPart = Readonly<Record<string, unknown>>;

/** A property of our own. */
export function property(name: string, value: string | number): BomPart {
  return { name: `strongroom:${name}`, value: String(value) };
}

/** The license that facts name. */
export function licenses({ license, spdx_license: id }: Facts): BomPart {
  if (license === undefined) return {};
  return { licenses: [{ license: id === undefined ? { name: license } : { id } }] };
}

/** What facts say of how a model was made, and what for. */
export function modelCard(
  { task, architecture, model_class: name, datasets = [] }: Facts,
): BomPart {
  return {
    modelParameters: {
      ...task !== undefined && { task },
      ...architecture !== undefined && { architectureFamily: architecture },
      ...name !== undefined && { modelArchitecture: name },
      ...datasets.length > 0 && {
        datasets: datasets.map((name) => ({ type: "dataset", name })),
      },
    },
  };
}

/** The models that one was made from. */
export function pedigree({ base_models: bases = [] }: Facts): BomPart {
  if (bases.length === 0) return {};
  const ancestors = bases.map((name) => ({ type: "machine-learning-model", name }));
  return { pedigree: { ancestors } };
}

const RATINGS = { critical: "critical", warning: "medium", info: "info", debug: "none" } as const;

/** A finding of the last scan of a file. */
export function vulnerability(
  { ruleCode, severity, message, why, location }: VerdictFinding,
  index: number,
  { ref, waiver }: { readonly ref: string; readonly waiver: Waiver | null },
): BomPart {
  return {
    "bom-ref": `finding:${index + 1}:${ref}`,
    id: ruleCode ?? "check",
    source: { name: "strongroom" },
    ratings: [{ severity: RATINGS[severity], method: "other" }],
    description: message,
    ...why !== undefined && { detail: why },
    ...waiver !== null && {
      analysis: { response: ["will_not_fix"], detail: waiver.reason },
    },
    affects: [{ ref }],
    ...location !== undefined && { properties: [property("location", location)] },
  };
}
