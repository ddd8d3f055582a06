import * as assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { ROOT } from "./support/child_server.ts";
import { runWithin } from "./support/tools.ts";
import { builtBy, type Regex, regexesIn, verdictsOn } from "./support/regexes.ts";

/** Modules that build expressions at run time. Each does so while it loads, with all that it uses. */
const BUILDERS = [
  "core/scanner/formats/keras/code.ts",
  "core/scanner/formats/manifest/code_references.ts",
  "core/scanner/formats/pytorch/torchscript.ts",
  "core/scanner/formats/xml_model/scanner.ts",
  "core/scanner/knowledge/script_dangers.ts",
  "core/scanner/knowledge/secrets/patterns.ts",
  "core/scanner/knowledge/suspicious_text.ts",
  "schemas/report/file_metadata.ts",
];

/** The beginnings of expressions without a proof of linear time, and why they may stay. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  [
    "core/scanner/formats/xml_model/scanner.ts /<\\s{0,4}script\\b|",
    "only blanks after the words import and from are repeated without bound",
  ],
  [
    "core/scanner/knowledge/licenses/copyright.ts /^[ \\t#*/;'\"<!-]{0,20}(?:copyright|\\(c\\)|©)(?:",
    "it meets a line of at most 500 characters, from which its caller keeps longer ones",
  ],
  [
    "core/scanner/knowledge/licenses/recognize.ts /\\s+(?:or|and|with)\\s+|",
    "it splits the first 500 characters, cut off in the same expression",
  ],
]);

/**
 * Expressions that the automata have proved linear, as they are written: each proof takes seconds. Others, and
 * these once they change, are proved with the tests. `deno task test:regexes` proves all.
 */
const PROVED: readonly RegExp[] = [
  /([^\s=/"'<>]+)(?:\s{0,8}=\s{0,8}(?:"([^"]*)"|'([^']*)'))?/g,
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\bCHECK\s*\(|[()]/gi,
  /^ {2}(?:(-\w), )?(--[\w-]+)(?: ([^ ]+))? {2,}(.+)$/gm,
  /^(.+)@[0-9a-f]{40}$/,
  /^#+ licen[cs]e$/im,
  /^\{\s*"base_code"\s*:\s*\{[^}]*"magic"\s*:\s*"pir"/,
];
const PROVES_ALL = Deno.env.get("REGEXES") === "all";

async function* productFiles(directory = ""): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(ROOT + directory)) {
    const path = directory + name;
    if (name.startsWith(".") || ["tests", "docs", "node_modules", "dist"].includes(path)) continue;
    if (isDirectory) yield* productFiles(`${path}/`);
    else if (/\.(?:ts|js)$/.test(name)) yield path;
  }
}

Deno.test("C 6 every regular expression takes linear time, whatever text it meets", async (t) => {
  const regexes: Regex[] = [];
  const building: { path: string; line: number }[] = [];
  for await (const path of productFiles()) {
    const { literals, builders } = regexesIn(path, await Deno.readTextFile(ROOT + path));
    regexes.push(...literals);
    building.push(...builders);
  }
  assert.ok(regexes.length > 300);

  await t.step("every expression built at run time is known", async () => {
    const built = await builtBy(BUILDERS);
    const lines = new Set(built.map(at));
    assert.deepEqual(building.map(at).filter((line) => !lines.has(line)), []);
    const ours = new Set(building.map(at));
    regexes.push(...built.filter((regex) => ours.has(at(regex))));
  });

  const exceptions = [...EXCEPTIONS.keys()];
  const isException = (regex: Regex) =>
    exceptions.some((start) => written(regex).startsWith(start));

  await t.step("none can be attacked", async () => {
    const isProved = (regex: Regex) => !PROVES_ALL && PROVED.some((it) => isSame(it, regex));
    const verdicts = await verdictsOn(
      regexes.filter((regex) => !isException(regex) && !isProved(regex)),
    );
    const attacks = verdicts.flatMap(([regex, { attack }]) =>
      attack === undefined ? [] : `${at(regex)} /${regex.source}/${regex.flags}: ${attack}`
    );
    assert.ok(attacks.length === 0, attacks.join("\n"));
  });

  await t.step("every exception and every proof is in use", () => {
    assert.deepEqual(PROVED.filter((it) => !regexes.some((regex) => isSame(it, regex))), []);
    assert.equal(regexes.filter(isException).length, exceptions.length);
  });
});

Deno.test("C 6 the check of expressions knows slow ones", async () => {
  const slow = [
    String.raw`(a+)+b`,
    String.raw`\s+$`,
    String.raw`[ \t]*\r?\n`,
    String.raw`(?:a{0,50}b?){0,50}c`,
    String.raw`^(?:(?=a*b)a)*c`,
    String.raw`a[^;]*a[^;]*;`,
    String.raw`(?<=x)\/+$`,
  ];
  const quick = [
    String.raw`^\s*a+(?:b+c)*$`,
    String.raw`a\s+b`,
    String.raw`\bfoo[^\n]{0,99}bar`,
    String.raw`"[^"]*`,
  ];
  const regexes = [...slow, ...quick].map((source) => ({ path: "", line: 1, source, flags: "" }));
  const verdicts = await verdictsOn(regexes);
  const attacked = verdicts.flatMap(([{ source }, { attack }]) =>
    attack === undefined ? [] : source
  );
  assert.deepEqual(attacked.sort(), slow.sort());
});

/** What a module does with text on which it once took minutes or more. */
const HOSTILE: readonly { name: string; module: string; run: string }[] = [
  {
    name: "a script of comment lines that end in CRLF",
    module: "core/scanner/formats/text/script.ts",
    run: 'it.detectScript("a", `#${"\\r\\n#".repeat(48)}x`)',
  },
  {
    name: "private keys with a header of many colons",
    module: "core/scanner/knowledge/secrets/find_secrets.ts",
    run:
      '[...it.findSecrets(`-----BEGIN PRIVATE KEY-----\\n${"a: ".repeat(130)}\\n`.repeat(10_000))]',
  },
  {
    name: "base64 in a pickle with blanks before its end",
    module: "core/scanner/scan.ts",
    run: `
      const text = new TextEncoder().encode("gASV".repeat(20) + " ".repeat(1_000_000) + "x");
      const bytes = new Uint8Array([0x80, 4, 0x58, 0, 0, 0, 0, ...text, 0x2e]);
      new DataView(bytes.buffer).setUint32(3, text.length, true);
      const read = (start, length) => bytes.subarray(start, start + length);
      it.scan({ size: bytes.length, read }, { name: "a.pkl" })`,
  },
  {
    name: "a setting of many digits",
    module: "core/capacity/tunables.ts",
    run: 'it.envFloat("", 0, () => `${"1".repeat(2e6)}x`)',
  },
  {
    name: "a path of many slashes",
    module: "storage/disk/local_files.ts",
    run: 'await it.localFiles([`/missing${"/".repeat(2e6)}x`])',
  },
  {
    name: "blanks and zeros within a text",
    module: "core/scanner/readers/text/trim_end.ts",
    run: 'it.trimEnd(`${"\\0".repeat(2e6)}x`, /\\0/)',
  },
];

Deno.test("C 6 hostile text does not hold the process", async (t) => {
  for (const { name, module, run: expression } of HOSTILE) {
    await t.step(name, async () => {
      const code = `import * as it from "${pathToFileURL(ROOT + module)}"; ${expression};`;
      // In a process of its own: only that can be ended if it never returns.
      const { code: status, stderr } = await runWithin(30, Deno.execPath(), ["eval", code]);
      assert.equal(status, 0, stderr);
    });
  }
});

function isSame(one: RegExp, { source, flags }: Regex): boolean {
  return one.source === source && one.flags === new RegExp("", flags).flags;
}

function at({ path, line }: { path: string; line: number }): string {
  return `${path}:${line}`;
}

function written({ path, source, flags }: Regex): string {
  return `${path} /${source}/${flags}`;
}
