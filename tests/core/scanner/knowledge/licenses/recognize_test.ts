import * as assert from "node:assert/strict";
import { LICENSES } from "../../../../../core/scanner/knowledge/licenses/catalog.ts";
import {
  licensesOfExpression,
  recognizeLicenses,
} from "../../../../../core/scanner/knowledge/licenses/recognize.ts";

const names = (text: string) =>
  recognizeLicenses(text).map(({ license }) => license.spdxId ?? license.name);

const GRANT =
  "Permission is hereby granted, free of charge, to any person\nobtaining a copy of this software";
const REDISTRIBUTIONS =
  "Redistributions of source code must retain the above copyright\n * notice, this list of conditions";

const TEXTS: readonly (readonly [string, string])[] = [
  ["MIT", `${GRANT} …\nThe above copyright notice and this permission notice shall be included`],
  ["Apache-2.0", "                 Apache License\n           Version 2.0, January 2004\n"],
  ["Apache-2.0", "# Licensed under the Apache License, Version 2.0 (the License)"],
  ["BSD-2-Clause", REDISTRIBUTIONS],
  ["BSD-3-Clause", `${REDISTRIBUTIONS}. Neither the name of the copyright holder`],
  [
    "GPL-3.0-only",
    "GNU GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007\n… use with the GNU Affero General Public License.",
  ],
  ["GPL-2.0-only", "GNU GENERAL PUBLIC LICENSE\n  Version 2, June 1991"],
  ["LGPL-3.0-only", "GNU LESSER GENERAL PUBLIC LICENSE\n  Version 3, 29 June 2007"],
  ["LGPL-2.1-only", "GNU LESSER GENERAL PUBLIC LICENSE\n  Version 2.1, February 1999"],
  ["AGPL-3.0-only", "GNU AFFERO GENERAL PUBLIC LICENSE\n  Version 3, 19 November 2007"],
  [
    "AGPL-3.0-or-later",
    "under the terms of the GNU Affero General Public License as published by\n# the Free Software Foundation, either version 3",
  ],
  ["MPL-2.0", "Mozilla Public License Version 2.0\n====="],
  [
    "ISC",
    "Permission to use, copy, modify, and/or distribute this software for any purpose\nwith or without fee is hereby granted, provided that the above",
  ],
  ["Unlicense", "This is free and unencumbered software released into the public domain."],
  ["CC0-1.0", "Creative Commons\nCC0 1.0 Universal"],
  ["CC-BY-4.0", "Creative Commons Corporation … Attribution 4.0 International"],
  ["CC-BY-NC-SA-4.0", "Creative Commons … Attribution-NonCommercial-ShareAlike 4.0 International"],
  ["CreativeML OpenRAIL-M", "CreativeML Open RAIL-M\ndated August 22, 2022"],
  ["BigScience RAIL 1.0", "BigScience RAIL License v1.0"],
  ["Llama 2 Community License", "LLAMA 2 COMMUNITY LICENSE AGREEMENT"],
  ["Llama 3.1 Community License", "LLAMA 3.1 COMMUNITY LICENSE AGREEMENT"],
  ["Gemma Terms of Use", "Gemma Terms of Use\nLast modified"],
  ["MPL-2.0", "// SPDX-License-Identifier: MPL-2.0"],
];

Deno.test("SR 2.11 recognizes licenses by their texts and tags", async (t) => {
  for (const [name, text] of TEXTS) {
    await t.step(`${name}: ${text.slice(0, 30)}`, () => assert.deepEqual(names(text), [name]));
  }
  await t.step("ignores a license that is only mentioned", () => {
    assert.deepEqual(names("We chose MIT rather than the AGPL or the Apache License."), []);
  });
  await t.step("returns each license once", () => {
    const text = "SPDX-License-Identifier: (MIT OR Apache-2.0)\nSPDX-License-Identifier: MIT";
    assert.deepEqual(names(text), ["MIT", "Apache-2.0"]);
  });
});

Deno.test("SR 2.11 recognizes ids of model cards and SPDX expressions", () => {
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ["apache-2.0", ["Apache-2.0"]],
    ["GPL-3.0-or-later", ["GPL-3.0-or-later"]],
    ["gpl-3.0", ["GPL-3.0-only"]],
    ["GPL-2.0-only", ["GPL-2.0-only"]],
    ["LGPL-2.1+", ["LGPL-2.1-or-later"]],
    ["agpl-3.0", ["AGPL-3.0-only"]],
    ["llama3.1", ["Llama 3.1 Community License"]],
    ["openrail", ["OpenRAIL"]],
    ["gemma", ["Gemma Terms of Use"]],
    ["cc-by-nc-4.0", ["CC-BY-NC-4.0"]],
    ["MIT AND (BSD-2-Clause OR ISC)", ["MIT", "BSD-2-Clause", "ISC"]],
    ["gpl", ["GNU GPL"]],
    ["osl-3.0", ["OSL-3.0"]],
    ["odc-by", ["ODC-By-1.0"]],
    ["apple-amlr", ["Apple Machine Learning Research Model License"]],
    ["other", []],
    ["constructor", []],
  ];
  for (const [id, expected] of rows) {
    const found = licensesOfExpression(id, "metadata").map(({ license }) =>
      license.spdxId ?? license.name
    );
    assert.deepEqual(found, expected, id);
  }
});

Deno.test("SR 2.11 no id of a license is one that SPDX has deprecated", async () => {
  const url = new URL("../../../../fixtures/schemas/spdx.SNAPSHOT.schema.json", import.meta.url);
  const { enum: known } = JSON.parse(await Deno.readTextFile(url));
  const ids = LICENSES.flatMap(({ spdxId }) => spdxId ?? []);
  assert.deepEqual(ids.filter((id) => !known.includes(id)), []);
  // SPDX deprecated the ids of GNU licenses that do not say whether later versions apply.
  assert.deepEqual(ids.filter((id) => /GPL-\d(?!.*-(?:only|or-later)$)/.test(id)), []);
});

Deno.test("SR 2.11 states whether commercial use is allowed, or null if it depends", () => {
  const allowed = (id: string) =>
    licensesOfExpression(id, "metadata")[0]?.license.commercialAllowed;
  assert.equal(allowed("mit"), true);
  assert.equal(allowed("cc-by-nc-sa-4.0"), false);
  assert.equal(allowed("llama2"), null);
  assert.equal(allowed("deepfloyd-if-license"), false);
  // Names of licenses in model cards that hubs do not list.
  assert.equal(allowed("flux-1-dev-non-commercial-license"), false);
  assert.equal(allowed("stabilityai-nc-research-community"), false);
  assert.equal(allowed("encoder-license"), undefined);
});
