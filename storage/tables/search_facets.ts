import * as v from "valibot";
import { compareBytewise } from "../../core/paths.ts";
import type { SearchPage } from "../../core/search.ts";
import { type Facet, FACETS, PARAMETER_RANGES } from "../../schemas/search.ts";
import type { SqlValue } from "./dialect.ts";
import { KIND, LICENSE } from "./search_conditions.ts";
import { foundIn, type Part } from "./search_part.ts";

/** How many values of a facet are counted. */
const MAX_VALUES = 20;

const PARAMETERS = "CAST(item.facts ->> 'parameters' AS bigint)";

/** The range that a number of parameters is in, as {@link parseCountRange} reads it. */
const RANGE = `CASE ${
  PARAMETER_RANGES.map((min, index) => {
    const next = PARAMETER_RANGES[index + 1];
    return next === undefined
      ? `WHEN ${PARAMETERS} >= ${min} THEN '${min}..'`
      : `WHEN ${PARAMETERS} < ${next} THEN '${min}..${next - 1}'`;
  }).join(" ")
} END`;

/** What is counted: a text, or JSON of which the texts of a list or the keys of an object count. */
const COLUMNS: Readonly<Record<Facet, string>> = {
  kind: KIND,
  format: "item.facts ->> 'format'",
  architecture: "item.facts ->> 'architecture'",
  license: LICENSE,
  dtype: "item.facts ->> 'dtypes'",
  base_model: "item.facts ->> 'base_models'",
  library: "item.facts ->> 'library'",
  task: "item.facts ->> 'task'",
  parameters: RANGE,
};

/** How many of all that is found have which values. */
export async function facetsOf({ source, ...part }: Part): Promise<SearchPage["facets"]> {
  const { sql, parameters } = foundIn({ source, ...part });
  // Facts are long, and are read once. Many have the same values.
  const rows = await source.values(
    `SELECT ${FACETS.join(", ")}, count(*) AS files
     FROM (SELECT ${
      FACETS.map((it) => `${COLUMNS[it]} AS ${it}`).join(", ")
    } FROM (${sql}) AS item) AS found
     GROUP BY ${FACETS.join(", ")}`,
    parameters,
  );
  const counts = new Map(FACETS.map((facet) => [facet, new Map<string, number>()]));
  let matches = 0;
  for (const row of rows) {
    const files = Number(row.at(-1));
    matches += files;
    for (const [index, facet] of FACETS.entries()) {
      const counted = counts.get(facet);
      for (const value of valuesOf(facet, row[index])) {
        counted?.set(value, (counted.get(value) ?? 0) + files);
      }
    }
  }
  const most = (facet: Facet) =>
    [...counts.get(facet) ?? []].map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || compareBytewise(a.value, b.value))
      .slice(0, MAX_VALUES);
  return {
    matches,
    kind: most("kind"),
    format: most("format"),
    architecture: most("architecture"),
    license: most("license"),
    dtype: most("dtype"),
    base_model: most("base_model"),
    library: most("library"),
    task: most("task"),
    parameters: most("parameters"),
  };
}

const Values = v.array(v.string());
const Keys = v.record(v.string(), v.unknown());

function valuesOf(facet: Facet, value: SqlValue | undefined): readonly string[] {
  if (typeof value !== "string") return [];
  switch (facet) {
    case "dtype":
      return Object.keys(v.parse(Keys, JSON.parse(value)));
    case "base_model":
      return [...new Set(v.parse(Values, JSON.parse(value)))];
    default:
      return [value];
  }
}
