import { createHash } from "node:crypto";
import { stripTypeScriptTypes } from "node:module";
import { gzipSync } from "node:zlib";
import type { Chunk } from "../../core/content.ts";
import { yieldToEventLoop } from "../../core/event_loop.ts";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";
import { ICON, MODULES, ON_DEMAND, STYLES } from "./modules.ts";

/** The module that starts the console. */
const ENTRY = "main.js";
const STYLE = "console.css";
const ICON_FILE = "icon.svg";
/** Where the modules of the scanner are. The console imports the first one. */
const SCANNER = "scanner/";
const SCAN = `${SCANNER}scan.js`;

/** Where browsers find what is not in `app/`: packages, and modules of the server. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["preact", "preact.js"],
  ["preact/hooks", "preact_hooks.js"],
  ["../../../../core/scanner/contract/rules.ts", "rules.js"],
  ["../../../../core/scanner/readers/toml/read_toml.ts", "readers/toml/read_toml.js"],
  ["../../../../core/scanner/readers/yaml/yaml_reader.ts", "readers/yaml/yaml_reader.js"],
  ["../../../../schemas/printable.ts", "printable.js"],
  ["../../../schemas/units.ts", "units.js"],
]);

/** A file that browsers load. */
export interface Asset {
  readonly type: string;
  readonly bytes: Chunk;
  readonly gzip: Chunk;
}

/** All that browsers load for the console. */
export interface Assets {
  readonly page: Asset;
  /** By their routes, which have a hash of all files: what an address has never changes. */
  readonly files: ReadonlyMap<string, Asset>;
}

/**
 * Makes the files of the console out of its source, in turns of the event loop.
 *
 * @param root What precedes all addresses of the server. @default nothing
 * @param scanner The modules of the scanner for browsers, by their names. @default none
 */
export async function buildAssets(
  root = "",
  scanner: ReadonlyMap<string, string> = new Map(),
): Promise<Assets> {
  const texts = new Map<string, string>();
  for (const [name, load] of Object.entries({ ...MODULES, ...ON_DEMAND })) {
    const { default: text } = await load();
    texts.set(addressed(name), name.endsWith(".ts") ? script(name, text) : linked(name, text));
    await yieldToEventLoop();
  }
  for (const [name, text] of scanner) texts.set(SCANNER + name, text);
  const styles = await Promise.all(STYLES.map(async (load) => (await load()).default));
  texts.set(STYLE, styles.join("\n"));
  texts.set(ICON_FILE, (await ICON()).default);
  const hash = createHash("sha256").update(JSON.stringify([...texts])).digest("hex").slice(0, 16);
  const base = `${CONSOLE_PATH}/assets/${hash}/`;
  const files = new Map<string, Asset>();
  for (const [name, text] of texts) {
    files.set(base + name, asset(typeOf(name), text));
    await yieldToEventLoop();
  }
  const modules = Object.keys(MODULES).map((name) => root + base + addressed(name));
  const scan = texts.has(SCAN) ? root + base + SCAN : undefined;
  return { page: asset("text/html; charset=utf-8", page(root + base, modules, scan)), files };
}

/** JavaScript of a module in TypeScript. An executable has it already: its build removes the types. */
function script(name: string, text: string): string {
  return linked(name, Deno.build.standalone ? text : stripTypeScriptTypes(text));
}

/**
 * A module whose imports are addresses. Each static one ends on a line that begins with it or with a brace.
 */
function linked(name: string, text: string): string {
  const up = "../".repeat(name.split("/").length - 1) || "./";
  const lines = text.split("\n").map((line) => {
    const isStatic = /^(?:import|export|\})/.test(line);
    const pattern = isStatic ? /\b(from ?")([^"]{1,200})"/ : /\b(import\(")([^"]{1,200})"/;
    return line.replace(pattern, (whole, start: string, specifier: string) => {
      const file = ELSEWHERE.get(specifier);
      if (file !== undefined) return `${start}${up}${file}"`;
      return specifier.startsWith(".") ? `${start}${addressed(specifier)}"` : whole;
    });
  });
  return lines.join("\n");
}

function addressed(name: string): string {
  return name.replace(/\.ts$/, ".js");
}

function typeOf(name: string): string {
  if (name === ICON_FILE) return "image/svg+xml";
  return `text/${name === STYLE ? "css" : "javascript"}; charset=utf-8`;
}

function asset(type: string, text: string): Asset {
  const bytes = new TextEncoder().encode(text);
  return { type, bytes, gzip: new Uint8Array(gzipSync(bytes, { level: 9 })) };
}

/** @param scan The address of the scanner, which the console loads when a person wants it. */
function page(base: string, modules: readonly string[], scan: string | undefined): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>strongroom</title>${scan === undefined ? "" : `\n<meta name="scanner" content="${scan}">`}
<link rel="icon" href="${base}${ICON_FILE}">
<link rel="stylesheet" href="${base}${STYLE}">
${modules.map((module) => `<link rel="modulepreload" href="${module}">`).join("\n")}
<script type="module" src="${base}${ENTRY}"></script>
</head>
<body>
<noscript>The console needs JavaScript. The command line and the API work without it.</noscript>
</body>
</html>
`;
}
