import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { Chunk } from "../../core/content.ts";
import { yieldToEventLoop } from "../../core/event_loop.ts";
import { CONSOLE_PATH } from "../../schemas/base_path.ts";

/** The module that starts the console. */
const ENTRY = "main.js";
const STYLE = "console.css";
const ICON = "icon.svg";
/** Where the modules of the scanner are. The console imports the first one. */
const SCANNER = "scanner/";
const SCAN = `${SCANNER}scan.js`;

const TYPES: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};

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

/** What the console is made of: texts by their names. */
export interface AssetTexts {
  readonly files: Readonly<Record<string, string>>;
  /** The modules of the scanner for browsers. */
  readonly scanner: ReadonlyMap<string, string>;
}

/**
 * Makes what browsers load, in turns of the event loop.
 *
 * @param root What precedes all addresses of the server. @default nothing
 */
export async function buildAssets({ files, scanner }: AssetTexts, root = ""): Promise<Assets> {
  const texts = new Map(Object.entries(files));
  for (const [name, text] of scanner) texts.set(SCANNER + name, text);
  const hash = createHash("sha256").update(JSON.stringify([...texts])).digest("hex").slice(0, 16);
  const base = `${CONSOLE_PATH}/assets/${hash}/`;
  const assets = new Map<string, Asset>();
  for (const [name, text] of texts) {
    assets.set(base + name, asset(TYPES[name.slice(name.lastIndexOf(".") + 1)] ?? "", text));
    await yieldToEventLoop();
  }
  const scan = texts.has(SCAN) ? root + base + SCAN : undefined;
  const html = page(root + base, importsOf(files, ENTRY), scan);
  return { page: asset("text/html; charset=utf-8", html), files: assets };
}

/** The modules that a bundled one imports at once, directly or not. */
function importsOf(files: AssetTexts["files"], entry: string): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    for (const [, imported = ""] of files[name]?.matchAll(/\bfrom ?"\.\/([^"]{1,200})"/g) ?? []) {
      if (found.has(imported)) continue;
      found.add(imported);
      add(imported);
    }
  };
  add(entry);
  return found;
}

function asset(type: string, text: string): Asset {
  const bytes = new TextEncoder().encode(text);
  return { type, bytes, gzip: new Uint8Array(gzipSync(bytes, { level: 9 })) };
}

/**
 * @param modules What the browser loads at the same time as the first module.
 * @param scan The address of the scanner, which the console loads when a person wants it.
 */
function page(base: string, modules: ReadonlySet<string>, scan: string | undefined): string {
  const preloads = [...modules].map((name) => `\n<link rel="modulepreload" href="${base}${name}">`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Files of models, kept and scanned for what does harm.">
<meta name="color-scheme" content="light dark">
<title>strongroom</title>${scan === undefined ? "" : `\n<meta name="scanner" content="${scan}">`}
<link rel="icon" href="${base}${ICON}">
<link rel="stylesheet" href="${base}${STYLE}">${preloads.join("")}
<script type="module" src="${base}${ENTRY}"></script>
</head>
<body>
<header class="top"><span class="brand">strongroom</span></header>
<noscript>The console needs JavaScript. The command line and the API work without it.</noscript>
</body>
</html>
`;
}
