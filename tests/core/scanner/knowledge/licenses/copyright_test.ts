import * as assert from "node:assert/strict";
import { copyrightNotices } from "../../../../../core/scanner/knowledge/licenses/copyright.ts";

Deno.test("SR 2.12 finds copyright notices, but not the words of licenses", () => {
  const notice = (text: string) => copyrightNotices(text).map(({ year, holder }) => [year, holder]);
  assert.deepEqual(notice("Copyright (c) 2019-2024 Jane Doe. All rights reserved.\n"), [[
    "2019-2024",
    "Jane Doe",
  ]]);
  assert.deepEqual(notice("# Copyright 2020 The Example Authors\n"), [[
    "2020",
    "The Example Authors",
  ]]);
  assert.deepEqual(notice("© 2021, 2022 by Someone\n"), [["2021, 2022", "Someone"]]);
  assert.deepEqual(notice("Copyright (c) Example, Inc.\n"), [[null, "Example, Inc"]]);
  const none = [
    "Copyright [yyyy] [name of copyright owner]",
    "Copyright (C) <year> <name of author>",
    "copyright notice and this permission notice",
    "Copyright holders and contributors",
    "The work has a copyright 2020 Someone",
    "Copyright and Related Rights",
  ];
  for (const text of none) assert.deepEqual(notice(text), [], text);
});

Deno.test("SR 2.12 returns a bounded number of short notices", () => {
  const text = Array.from(
    { length: 500 },
    (_, n) => `Copyright 2020 Person ${n} ${"x".repeat(150)}`,
  );
  const notices = copyrightNotices(text.join("\n"));
  assert.equal(notices.length, 50);
  assert.ok(notices.every(({ holder, text }) => holder.length <= 100 && text.length <= 100));
});
