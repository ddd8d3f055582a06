/** The search of trees (C 24, C 29). */

import { PAGE } from "../../schemas/queries.ts";
import { SEARCH_KINDS, SearchSort } from "../../schemas/search.ts";
import { VERDICTS } from "../../schemas/verdict_names.ts";
import type { Operation } from "./operation.ts";
import { enveloped, integerQuery, type Json, query, reference } from "./parts.ts";

/** A parameter that may be given several times: any of its values may match. */
function values(name: string, description: string, example: string, items: Json = {}): Json {
  return query(
    name,
    { type: "array", items: { type: "string", ...items } },
    `${description}. May be repeated: one of them has to match`,
    [example],
  );
}

export const SEARCH: Operation = {
  id: "searchResources",
  tag: "resources",
  summary: "Search a directory and all below it, page by page",
  description:
    "Finds what meets all conditions: words in the path below the directory or among the facts, facts, verdict, " +
    "time. At least one is needed. Values match in whatever case. A directory has the facts of its files put " +
    "together, and the worst of the verdicts below it, unless these files are more than 20 000. A page may look at some thousands of records only: it may have " +
    "few or none although others follow. Ask for the next one while `next` is not null. Without `tree` and " +
    "`scope`, the caller's own tree is searched.",
  parameters: [
    query(
      "q",
      { type: "string" },
      "Words and parts of words, separated by white space",
      "llama q4",
    ),
    query("path", { type: "string" }, "The directory; the root by default", "models"),
    query(
      "kind",
      { type: "string", enum: SEARCH_KINDS },
      "Files, or directories with weights and repositories of models, or repositories of data sets",
    ),
    values("format", "The format of the weights", "gguf"),
    values("architecture", "Such as the model_type of a configuration", "llama"),
    values("license", "The license as its author names it, or its SPDX identifier", "apache-2.0"),
    values("dtype", "A type of elements, or a quantization", "Q4_K_M"),
    values("base_model", "A model that it was made from", "meta-llama/Llama-3.1-8B"),
    query(
      "tag",
      { type: "array", items: { type: "string" } },
      "A tag, language, library, task, format or architecture, or license:, base_model: or dataset: and a value. " +
        "May be repeated: all of them have to match",
      ["text-generation"],
    ),
    values("verdict", "The verdict", "clean", { enum: VERDICTS }),
    query(
      "parameters",
      { type: "string" },
      "The number of parameters: from..to, of which one may be left out. K, M, B and T are units",
      "1e9..8e9",
    ),
    query(
      "updated",
      { type: "string" },
      "When it was last changed: days or RFC 3339 times, from..to, of which one may be left out",
      "2026-11-01..2026-11-22",
    ),
    query(
      "scope",
      { type: "string", enum: ["own", "all"], default: "own" },
      "`all`: the trees of all users, one after the other (`resources.admin`)",
    ),
    query(
      "sort",
      { type: "string", enum: SearchSort.options, default: "path" },
      "The order; with - before it, the greatest first. Only up to 20 000 records can be sorted but by path",
    ),
    query(
      "facets",
      { type: "string", default: "false" },
      "`true` or `1`: count how many of all that is found have which values",
    ),
    query(
      "known",
      { type: "string", default: "false" },
      "`true` or `1`: say of each record of which kind it is, its main facts, and the worst verdict below it",
    ),
    query("after", { type: "string" }, "The `next` of the page before"),
    integerQuery("limit", PAGE.limit, "How many records the page has at most"),
  ],
  responses: { 200: enveloped("A page of records", reference("FoundList")) },
};
