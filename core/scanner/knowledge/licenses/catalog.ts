/** A license and how it is recognized. */
export interface License {
  /** Null if SPDX does not list the license. */
  readonly spdxId: string | null;
  readonly name: string;
  readonly url: string | null;
  /** Null if it depends on the user or the purpose. */
  readonly commercialAllowed: boolean | null;
  /** Lower-case ids in model cards and SPDX expressions, former ones included. */
  readonly ids: readonly string[];
  /** Lists of phrases, normalized as by `recognize.ts`. The text contains all phrases of one list. */
  readonly texts: readonly (readonly string[])[];
  /** A phrase that the text does not contain. */
  readonly excludedText?: string;
  /** What the license asks of those who pass the model on, if it asks for source code. */
  readonly copyleft?: "distribution" | "network";
}

function spdx(
  spdxId: string,
  name: string,
  texts: License["texts"],
  more: Partial<Pick<License, "ids" | "excludedText" | "copyleft">> & {
    readonly commercialAllowed?: boolean;
  } = {},
): License {
  const { ids = [], commercialAllowed = true, excludedText, copyleft } = more;
  return {
    spdxId,
    name,
    url: `https://spdx.org/licenses/${spdxId}.html`,
    commercialAllowed,
    ids: [spdxId.toLowerCase(), ...ids],
    texts,
    ...excludedText !== undefined && { excludedText },
    ...copyleft !== undefined && { copyleft },
  };
}

const REDISTRIBUTION = "redistributions of source code must retain the above copyright notice";

const PERMISSIVE: readonly License[] = [
  spdx("MIT", "MIT License", [[
    "permission is hereby granted free of charge to any person obtaining a copy of this software",
    "the above copyright notice and this permission notice",
  ]]),
  spdx("Apache-2.0", "Apache License 2.0", [
    ["apache license version 2 0 january 2004"],
    ["licensed under the apache license version 2 0"],
  ], { ids: ["apache2", "apache 2.0"] }),
  spdx("BSD-3-Clause", "BSD 3-Clause License", [[REDISTRIBUTION, "neither the name"]], {
    ids: ["bsd-3", "bsd"],
  }),
  spdx("BSD-2-Clause", "BSD 2-Clause License", [[REDISTRIBUTION]], {
    ids: ["bsd-2"],
    excludedText: "neither the name",
  }),
  spdx("ISC", "ISC License", [[
    "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted provided that",
  ], [
    "permission to use copy modify and distribute this software for any purpose with or without fee is hereby granted provided that",
  ]]),
  spdx("Unlicense", "The Unlicense", [[
    "this is free and unencumbered software released into the public domain",
  ]]),
  spdx("CC0-1.0", "Creative Commons Zero 1.0", [["cc0 1 0 universal"]], { ids: ["cc0"] }),
];

/** Licenses that hubs offer for choice, by their ids alone, and what they ask of those who pass on. */
const BY_ID: readonly License[] = [
  ...([
    ["AFL-3.0", "Academic Free License 3.0"],
    ["Artistic-2.0", "Artistic License 2.0"],
    ["BSL-1.0", "Boost Software License 1.0"],
    ["BSD-3-Clause-Clear", "BSD 3-Clause Clear License"],
    ["C-UDA-1.0", "Computational Use of Data Agreement 1.0", "c-uda"],
    ["CDLA-Permissive-2.0", "Community Data License Agreement Permissive 2.0"],
    ["ECL-2.0", "Educational Community License 2.0"],
    ["etalab-2.0", "Etalab Open License 2.0"],
    ["MS-PL", "Microsoft Public License"],
    ["NCSA", "University of Illinois/NCSA License"],
    ["ODC-By-1.0", "Open Data Commons Attribution License 1.0", "odc-by"],
    ["ODbL-1.0", "Open Database License 1.0", "odbl"],
    ["OFL-1.1", "SIL Open Font License 1.1"],
    ["PDDL-1.0", "Open Data Commons Public Domain Dedication 1.0", "pddl"],
    ["PostgreSQL", "PostgreSQL License"],
    ["Zlib", "zlib License"],
  ] as const).map(([id, name, ...ids]) => spdx(id, name, [], { ids })),
  ...([
    ["EPL-2.0", "Eclipse Public License 2.0"],
    ["EUPL-1.2", "European Union Public License 1.2"],
  ] as const).map(([id, name]) => spdx(id, name, [], { copyleft: "distribution" })),
  spdx("OSL-3.0", "Open Software License 3.0", [], { copyleft: "network" }),
  { ...byPublisher("GNU GPL", ["gpl"]), commercialAllowed: true, copyleft: "distribution" },
  { ...byPublisher("GNU LGPL", ["lgpl"]), commercialAllowed: true },
];

/** Licenses by the publishers of models that do not allow commercial use. */
const NONCOMMERCIAL: readonly License[] = ([
  ["Apple Machine Learning Research Model License", "apple-amlr"],
  ["DeepFloyd IF License", "deepfloyd-if-license"],
  ["FAIR Noncommercial Research License", "fair-noncommercial-research-license"],
  ["H Research-Only License", "h-research"],
  ["Intel Research Use License", "intel-research"],
] as const).map(([name, id]) => ({ ...byPublisher(name, [id]), commercialAllowed: false }));

/** A license that SPDX does not list, by its ids alone. */
function byPublisher(name: string, ids: readonly string[]): License {
  return { spdxId: null, name, url: null, commercialAllowed: null, ids, texts: [] };
}

const COPYLEFT: readonly License[] = [
  ...gnu("AGPL", "3.0", "affero general public license", "19 november 2007", "network"),
  ...gnu("LGPL", "3.0", "lesser general public license", "29 june 2007"),
  ...gnu("LGPL", "2.1", "lesser general public license", "february 1999"),
  ...gnu("GPL", "3.0", "general public license", "29 june 2007", "distribution"),
  ...gnu("GPL", "2.0", "general public license", "june 1991", "distribution"),
  spdx("MPL-2.0", "Mozilla Public License 2.0", [
    ["mozilla public license version 2 0"],
    ["subject to the terms of the mozilla public license v 2 0"],
  ]),
];

/**
 * A GNU license in this version only, and in this version or later. Its text alone, and the former ids
 * without `-only`, mean this version (SPDX).
 */
function gnu(
  family: string,
  version: string,
  title: string,
  date: string,
  copyleft?: License["copyleft"],
): License[] {
  const number = version.replace(/\.0$/, "").replace(".", " ");
  const terms = `terms of the gnu ${title} as published by the free software foundation`;
  const former = [`${family}-${version}`, `${family}-${version.replace(/\.0$/, "")}`];
  const orLater = `${terms} either version ${number}`;
  const more = copyleft === undefined ? {} : { copyleft };
  const ids = former.map((it) => it.toLowerCase());
  return [
    spdx(`${family}-${version}-only`, `GNU ${family} ${version} only`, [
      [`gnu ${title} version ${number} ${date}`],
      [`${terms} version ${number}`],
    ], { ids, ...more }),
    spdx(`${family}-${version}-or-later`, `GNU ${family} ${version} or later`, [[orLater]], {
      ids: ids.map((it) => `${it}+`),
      ...more,
    }),
  ];
}

/** The variants of Creative Commons licenses, with their titles. */
const CREATIVE_COMMONS: readonly (readonly [string, string])[] = [
  ["BY", "attribution"],
  ["BY-SA", "attribution sharealike"],
  ["BY-ND", "attribution noderivatives"],
  ["BY-NC", "attribution noncommercial"],
  ["BY-NC-SA", "attribution noncommercial sharealike"],
  ["BY-NC-ND", "attribution noncommercial noderivatives"],
];

function creativeCommons(): License[] {
  return CREATIVE_COMMONS.flatMap(([parts, title]) =>
    ["4.0", "3.0", "2.0"].map((version) => {
      const scope = version === "4.0"
        ? "international"
        : version === "3.0"
        ? "unported"
        : "generic";
      return spdx(`CC-${parts}-${version}`, `Creative Commons ${parts} ${version}`, [
        ["creative commons", `${title} ${version.replace(".", " ")} ${scope}`],
      ], { commercialAllowed: !parts.includes("NC") });
    })
  );
}

/** A license by the publisher of a model. Only its text says how the model may be used. */
function modelLicense(
  name: string,
  ids: readonly string[],
  text: readonly string[],
  url: string | null = null,
): License {
  return { spdxId: null, name, url, commercialAllowed: null, ids, texts: [text] };
}

const MODEL_LICENSES: readonly License[] = [
  modelLicense("CreativeML OpenRAIL-M", ["creativeml-openrail-m"], ["creativeml open rail m"]),
  modelLicense("CreativeML OpenRAIL++-M", ["openrail++"], [
    "creativeml open rail m license dated july",
  ]),
  modelLicense("BigScience OpenRAIL-M", ["bigscience-openrail-m"], ["bigscience openrail m"]),
  modelLicense("BigScience RAIL 1.0", ["bigscience-bloom-rail-1.0"], ["bigscience rail license"]),
  modelLicense("BigCode OpenRAIL-M", ["bigcode-openrail-m"], ["bigcode openrail m"]),
  modelLicense("OpenRAIL", ["openrail", "openrail-m", "rail-m"], [
    "responsible ai license openrail",
  ]),
  ...["2", "3", "3.1", "3.2", "3.3", "4"].map((version) =>
    modelLicense(
      `Llama ${version} Community License`,
      [`llama${version}`, `llama-${version}`],
      [`llama ${version.replace(".", " ")} community license agreement`],
      "https://www.llama.com/",
    )
  ),
  modelLicense(
    "Gemma Terms of Use",
    ["gemma"],
    ["gemma terms of use"],
    "https://ai.google.dev/gemma/terms",
  ),
];

/** Every license that is recognized. */
export const LICENSES: readonly License[] = [
  ...PERMISSIVE,
  ...COPYLEFT,
  ...creativeCommons(),
  ...BY_ID,
  ...NONCOMMERCIAL,
  ...MODEL_LICENSES,
];

/** A license that its own id in a model card calls noncommercial or for research only. */
export function noncommercialLicense(id: string): License | undefined {
  const isNoncommercial = /non-?commercial|research-only|(?:^|-)nc(?:-|$)/.test(id);
  return isNoncommercial
    ? { ...byPublisher(id.slice(0, 100), []), commercialAllowed: false }
    : undefined;
}
