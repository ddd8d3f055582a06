import * as assert from "node:assert/strict";
import { refreshConsole, STYLES } from "../../../cli/supervisor/console_files.ts";
import { readConsole } from "../../../cli/serve/browser_modules.ts";
import { buildAssets } from "../../../routes/console/assets.ts";
import { ROOT } from "../../support/child_server.ts";

const APP = `${ROOT}routes/console/app/`;

async function consoleFiles() {
  await refreshConsole();
  return await readConsole() ?? assert.fail("The console was not put together");
}

Deno.test("the console serves every style sheet of its directory", async () => {
  const sheets = await Array.fromAsync(Deno.readDir(`${APP}styles`), ({ name }) => name);
  assert.deepEqual(STYLES.map((name) => `${name}.css`).toSorted(), sheets.toSorted());
});

Deno.test("C 24 the page of the console asks at once for what its first module imports, and for no more", async () => {
  const files = await consoleFiles();
  const { page } = await buildAssets({ files, scanner: new Map() });
  const html = new TextDecoder().decode(page.bytes);
  const preloaded = [...html.matchAll(/"modulepreload" href="[^"]+\/([^"/]+)"/g)].map(([, name]) =>
    name ?? ""
  );
  const importsOf = (name: string) =>
    [...files[name]?.matchAll(/\bfrom"\.\/([^"]+)"/g) ?? []].map(([, imported]) => imported ?? "");
  const needed = new Set(importsOf("main.js"));
  for (const name of needed) for (const it of importsOf(name)) needed.add(it);
  assert.deepEqual(preloaded.toSorted(), [...needed].toSorted());
  assert.ok(Object.keys(files).filter((it) => it.endsWith(".js")).length > needed.size + 1);
});

Deno.test("C 24 the console imports what it has, and no other server's", async () => {
  const files = await consoleFiles();
  for (const [name, text] of Object.entries(files)) {
    if (!name.endsWith(".js")) continue;
    for (const [, specifier = ""] of text.matchAll(/\b(?:from|import\() ?"([^"]{1,200})"/g)) {
      // Words of the console can look like an import.
      if (/^[\w./:@-]+$/.test(specifier)) {
        assert.ok(files[specifier.slice(2)], `${name}: ${specifier}`);
      }
    }
  }
});

/** The relative luminance of a color such as `#17202a` (WCAG 2.2). */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

Deno.test("C 24 the colors of the console have enough contrast, light and dark", async () => {
  const css = await Deno.readTextFile(`${APP}styles/base.css`);
  const colors = new Map(
    css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)
      .map(([, name = "", light = "", dark = ""]) => [name, [light, dark]]),
  );
  const grounds = ["ground", "surface", "raised", "hover", "selected"];
  const pairs: [text: string, ground: string, minimum: number][] = [
    ...["text", "muted"].flatMap((text) =>
      grounds.map((ground): [string, string, number] => [text, ground, 4.5])
    ),
    ...["ground", "surface", "raised"].map((it): [string, string, number] => ["accent", it, 4.5]),
    ...["ground", "surface", "raised"].map((it): [string, string, number] => [
      "line-strong",
      it,
      3,
    ]),
    ["on-accent", "accent", 4.5],
    ["on-red", "red", 4.5],
    ["red", "surface", 4.5],
    ["red", "raised", 4.5],
    ...["red", "amber", "green", "blue", "violet"].map((
      it,
    ): [string, string, number] => [it, `${it}-ground`, 4.5]),
  ];
  const tooWeak = pairs.flatMap(([text, ground, minimum]) =>
    [0, 1].map((scheme) => {
      const [a = "", b = ""] = [text, ground].map((name) => colors.get(name)?.[scheme]);
      return { text, ground, scheme: ["light", "dark"][scheme], ratio: contrast(a, b), minimum };
    }).filter(({ ratio, minimum }) => !(ratio >= minimum))
  );
  assert.deepEqual(tooWeak, []);
});
