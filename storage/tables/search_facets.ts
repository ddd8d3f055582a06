import type { SearchPage } from "../../core/search.ts";
import { type Facet, FACETS, PARAMETER_RANGES } from "../../schemas/search.ts";
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

/** How many of all that is found have which values. */
export async function facetsOf(part: Part): Promise<SearchPage["facets"]> {
  const { valuesOf, keysOf } = part.engine.dialect;
  const { sql, parameters } = foundIn(part);
  const item = (value: string) => ({ value, from: "found AS item" });
  const text = (name: string) => item(`item.facts ->> '${name}'`);
  const list = (from: string, value: string) => ({ value, from: `found AS item, ${from}` });
  const counted: Readonly<Record<Facet, { readonly value: string; readonly from: string }>> = {
    kind: item(KIND),
    format: text("format"),
    architecture: text("architecture"),
    license: item(LICENSE),
    dtype: list(keysOf("item.facts", "dtypes"), "it.key"),
    base_model: list(valuesOf("item.facts", "base_models"), "it.value"),
    library: text("library"),
    task: text("task"),
    parameters: item(RANGE),
  };
  const rows = await part.source.values(
    `WITH found AS MATERIALIZED (${sql})
     SELECT '' AS facet, '' AS value, count(*) AS files FROM found
     ${
      FACETS.map((facet) =>
        `UNION ALL SELECT * FROM (
           SELECT '${facet}' AS facet, ${counted[facet].value} AS value, count(*) AS files
           FROM ${counted[facet].from} WHERE ${counted[facet].value} IS NOT NULL
           GROUP BY ${counted[facet].value} ORDER BY 3 DESC, 2 LIMIT ${MAX_VALUES}
         ) AS counted`
      ).join(" ")
    }`,
    parameters,
  );
  const valuesOfFacet = (facet: Facet) =>
    rows.filter(([name]) => name === facet)
      .map(([, value, count]) => ({ value: String(value), count: Number(count) }));
  return {
    matches: Number(rows.find(([name]) => name === "")?.[2] ?? 0),
    kind: valuesOfFacet("kind"),
    format: valuesOfFacet("format"),
    architecture: valuesOfFacet("architecture"),
    license: valuesOfFacet("license"),
    dtype: valuesOfFacet("dtype"),
    base_model: valuesOfFacet("base_model"),
    library: valuesOfFacet("library"),
    task: valuesOfFacet("task"),
    parameters: valuesOfFacet("parameters"),
  };
}
