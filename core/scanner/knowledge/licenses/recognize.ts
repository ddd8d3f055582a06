import { type License, LICENSES, noncommercialLicense } from "./catalog.ts";

/** A recognized license. */
export interface FoundLicense {
  readonly license: License;
  /** What named it: its text, an SPDX tag, or the metadata of a model card. */
  readonly source: "text" | "spdx_tag" | "metadata";
  /** From 0 to 1. */
  readonly confidence: number;
}

const BY_ID: ReadonlyMap<string, License> = new Map(
  LICENSES.flatMap((license) => license.ids.map((id) => [id, license] as const)),
);

/** Confidence by source. */
const CONFIDENCE: Readonly<Record<FoundLicense["source"], number>> = {
  text: 0.9,
  spdx_tag: 1,
  metadata: 0.95,
};

/** Returns the licenses whose text or SPDX tag a text contains. */
export function recognizeLicenses(text: string): FoundLicense[] {
  const tags = [...text.matchAll(/SPDX-License-Identifier:[ \t]{0,8}([^\r\n]{1,200})/g)];
  const tagged = tags.slice(0, 100).flatMap(([, id = ""]) => licensesOfExpression(id, "spdx_tag"));
  const words = text.toLowerCase().replace(/[^\p{L}\d]+/gu, " ");
  const written = LICENSES.filter((license) => matchesText(license, words)).map((license) =>
    found(license, "text")
  );
  return withoutRepeats([...tagged, ...written]);
}

/** Returns the licenses named by an SPDX expression or by the license id of a model card. */
export function licensesOfExpression(
  expression: string,
  source: FoundLicense["source"],
): FoundLicense[] {
  const ids = expression.slice(0, 500).toLowerCase().split(/\s+(?:or|and|with)\s+|[()]|\*\/|-->/);
  return withoutRepeats(ids.flatMap((id) => {
    const license = BY_ID.get(id.trim()) ??
      BY_ID.get(id.trim().replace(/(?:-only|-or-later|\+)$/, "")) ??
      (source === "metadata" ? noncommercialLicense(id.trim()) : undefined);
    return license === undefined ? [] : [found(license, source)];
  }));
}

function found(license: License, source: FoundLicense["source"]): FoundLicense {
  return { license, source, confidence: CONFIDENCE[source] };
}

function matchesText({ texts, excludedText }: License, words: string): boolean {
  if (excludedText !== undefined && words.includes(excludedText)) return false;
  return texts.some((all) => all.every((text) => words.includes(text)));
}

function withoutRepeats(licenses: readonly FoundLicense[]): FoundLicense[] {
  const seen = new Set<License>();
  return licenses.filter(({ license }) => !seen.has(license) && seen.add(license));
}
