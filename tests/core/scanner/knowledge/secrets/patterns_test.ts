import * as assert from "node:assert/strict";
import type { Check, Scanner } from "../../../../../core/scanner/contract/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { ggufScanner } from "../../../../../core/scanner/formats/gguf/scanner.ts";
import { manifestScanner } from "../../../../../core/scanner/formats/manifest/scanner.ts";
import { safetensorsScanner } from "../../../../../core/scanner/formats/safetensors/scanner.ts";
import { SECRET_PATTERNS } from "../../../../../core/scanner/knowledge/secrets/patterns.ts";
import { RecordingContext } from "../../recording_context.ts";
import { SECRETS } from "./sample_secrets.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

const u32 = (number: number) => new Uint8Array(Uint32Array.of(number).buffer);

/** The head of a value of GGUF: of a text, or of an array of one text. */
const TEXT = u32(8);
const ARRAY_OF_ONE_TEXT = Uint8Array.of(...u32(9), ...u32(8), ...u32(1), ...u32(0));

/** A GGUF file of version 3 with one text in its metadata. */
function gguf(key: string, value: string, head = TEXT): Uint8Array {
  const u64 = (number: number) => new Uint8Array(BigUint64Array.of(BigInt(number)).buffer);
  const text = (value: string) => [u64(utf8(value).length), utf8(value)];
  const parts = [
    utf8("GGUF"),
    Uint8Array.of(3, 0, 0, 0),
    ...[u64(0), u64(1)],
    ...text(key),
    head,
    ...text(value),
  ];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function safetensors(key: string, value: string): Uint8Array {
  const header = utf8(JSON.stringify({ __metadata__: { [key]: value } }));
  const bytes = new Uint8Array(8 + header.length);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
  bytes.set(header, 8);
  return bytes;
}

const FORMATS: Readonly<
  Record<string, readonly [Scanner, (key: string, value: string) => Uint8Array]>
> = {
  "config.json": [
    manifestScanner({ checkTemplate: () => [] }),
    (key, value) => utf8(JSON.stringify({ [key]: value })),
  ],
  "model.safetensors": [safetensorsScanner, safetensors],
  "model.gguf": [ggufScanner, gguf],
  "list.gguf": [ggufScanner, (key, value) => gguf(key, value, ARRAY_OF_ONE_TEXT)],
};

/** The findings about a credential in a text of each format, and all that the report would hold. */
function scanText(name: string, key: string, value: string): { found: Check[]; report: string } {
  const [scanner, file] = FORMATS[name] ?? assert.fail(name);
  const context = new RecordingContext();
  const source = memorySource(file(key, value));
  const checks = [...scanner.scan({ name, source, depth: 0 }, context)];
  const found = checks.filter(({ ruleCode }) => /^S7\d\d$/.test(ruleCode ?? ""));
  return { found, report: JSON.stringify([checks, context.facts, context.assets]) };
}

Deno.test("C 16 a credential is the same finding in JSON, safetensors and GGUF", async (t) => {
  for (const [secret, kind, ruleCode] of SECRETS) {
    for (const name of Object.keys(FORMATS)) {
      await t.step(`${kind} ${secret.slice(0, 8)} in ${name}`, () => {
        const { found, report } = scanText(name, "description", `before "${secret}" after`);
        const severity = SECRET_PATTERNS.find((pattern) => pattern.kind === kind)?.severity;
        assert.deepEqual(
          found.map((check) => [check.severity, check.ruleCode, check.details?.["kind"]]),
          [[severity, ruleCode, kind]],
        );
        const hidden = secret.includes("hunter2x") ? "hunter2x" : secret.slice(-14, -6);
        assert.equal(report.includes(hidden), false, report);
      });
    }
  }
  await t.step("each pattern has a sample", () => {
    const kinds = new Set(SECRETS.map(([, kind]) => kind));
    assert.deepEqual(SECRET_PATTERNS.filter(({ kind }) => !kinds.has(kind)), []);
  });
});

Deno.test("C 16 a value that its name makes a credential is the same finding in each format", async (t) => {
  const rows = [
    ["password", "hunter2-correct", "S702"],
    ["api_key", "9f3kd02mfLqPz71xVbN4", "S701"],
    ["description", "password = 'hunter2-correct'", "S702"],
  ] as const;
  for (const [key, value, ruleCode] of rows) {
    for (const name of Object.keys(FORMATS)) {
      await t.step(`${key}: ${value} in ${name}`, () => {
        const { found, report } = scanText(name, key, value);
        assert.deepEqual(
          found.map((check) => [check.severity, check.ruleCode]),
          [["warning", ruleCode]],
        );
        assert.equal(report.includes(value.slice(-10)), false, report);
      });
    }
  }
});
