import * as assert from "node:assert/strict";
import { stripTypeScriptTypes } from "node:module";
import { buildAssets } from "../../../routes/console/assets.ts";
import { MODULES, ON_DEMAND } from "../../../routes/console/modules.ts";
import { ROOT } from "../../support/child_server.ts";

const APP = `${ROOT}routes/console/app/`;

async function* filesOf(directory: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(APP + directory)) {
    if (isDirectory) yield* filesOf(`${directory}${name}/`);
    else yield directory + name;
  }
}

/** Whether no browser needs a module, as nothing is left of it without its types. */
function isTypesOnly(name: string): boolean {
  const code = stripTypeScriptTypes(Deno.readTextFileSync(APP + name));
  return code.replaceAll(/\/\*\*[^*]*\*\//g, "").replaceAll(";", "").trim() === "";
}

Deno.test("the console serves every module and style sheet of its directory", async () => {
  const files = await Array.fromAsync(filesOf(""));
  // These are modules of the server.
  const modules = Object.keys({ ...MODULES, ...ON_DEMAND })
    .filter((name) =>
      name.endsWith(".ts") && !/^(?:printable|rules|units)\.ts$|^readers\//.test(name)
    );
  const scripts = files.filter((name) => name.endsWith(".ts") && !isTypesOnly(name));
  assert.deepEqual(modules.sort(), scripts.sort());
  const list = await Deno.readTextFile(`${ROOT}routes/console/modules.ts`);
  for (const name of files.filter((it) => it.endsWith(".css"))) {
    assert.ok(list.includes(`"./app/${name}"`), name);
  }
});

Deno.test("the console has the modules that its first one needs, and no others", async () => {
  const { files } = await buildAssets();
  const texts = new Map(
    // The scanner is a package of its own, which may not have been built.
    [...files].filter(([path]) => path.endsWith(".js") && !path.includes("/scanner/"))
      .map(([path, { bytes }]) => [path, new TextDecoder().decode(bytes)]),
  );
  const needed = new Set(
    [...texts.keys()].filter((path) => /^\/console\/assets\/\w+\/main\.js$/.test(path)),
  );
  // Grows by what the modules import, at once or on demand.
  for (const path of needed) {
    const imports = (texts.get(path) ?? assert.fail(`no ${path}`))
      .matchAll(/^(?:import|export|\}).*\bfrom ?"([^"]+)"|\bimport\("([^"]+)"/gm);
    for (const [, atOnce, onDemand] of imports) {
      needed.add(new URL(atOnce ?? onDemand ?? "", `http://host${path}`).pathname);
    }
  }
  assert.deepEqual([...needed].filter((path) => !texts.has(path)), []);
  assert.deepEqual([...texts.keys()].filter((path) => !needed.has(path)), []);
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
