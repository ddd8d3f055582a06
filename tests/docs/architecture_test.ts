import * as assert from "node:assert/strict";
import { ROOT } from "../support/child_server.ts";
import { guideTest } from "./guide.ts";

guideTest("docs/architecture.md", { serves: false });

Deno.test("docs/architecture.md is the map: at most 20 kB, with a link to each page of docs/design", async () => {
  const text = await Deno.readTextFile(`${ROOT}docs/architecture.md`);
  const bytes = new TextEncoder().encode(text).length;
  assert.ok(bytes <= 20_000, `${bytes} bytes`);
  const linked = text.matchAll(/\]\(design\/(\w+\.md)\)/g).map(([, name]) => name);
  const pages = [...Deno.readDirSync(`${ROOT}docs/design`)].map(({ name }) => name);
  assert.deepEqual([...new Set(linked)].sort(), pages.sort());
});
