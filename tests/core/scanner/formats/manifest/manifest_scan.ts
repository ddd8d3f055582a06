import * as assert from "node:assert/strict";
import type { Check } from "../../../../../core/scanner/contract/scanner.ts";
import type { Severity } from "../../../../../core/scanner/contract/severity.ts";
import { manifestScanner } from "../../../../../core/scanner/formats/manifest/scanner.ts";
import { memorySource } from "../../../../../core/scanner/contract/source.ts";
import { RecordingContext } from "../../recording_context.ts";

/** The checks of a scan, and what it reported to its context. */
export interface Outcome {
  readonly checks: readonly Check[];
  readonly facts: Readonly<Record<string, unknown>>;
  readonly assets: readonly { readonly keys?: readonly string[] }[];
  readonly templates: readonly string[];
}

/** A hostile manifest, and the one finding of a check that it must cause. */
export type Row = readonly [
  title: string,
  name: string,
  text: string,
  check: string,
  severity: Severity,
  ruleCode?: string,
];

export const bytesOf = (text: string) => new TextEncoder().encode(text);

/** Scans a manifest with a template checker that reports `__class__`, and `{% end %}` as malformed. */
export function scanManifest(name: string, content: string | Uint8Array): Outcome {
  const templates: string[] = [];
  const context = new RecordingContext();
  const scanner = manifestScanner({
    checkTemplate(text) {
      templates.push(text);
      if (text.includes("{% end %}")) {
        return [{ severity: "info", message: "Malformed", incomplete: "template_malformed" }];
      }
      return text.includes("__class__") ? [{ severity: "critical", message: "Reaches out" }] : [];
    },
  });
  const bytes = typeof content === "string" ? bytesOf(content) : content;
  const file = { name, source: memorySource(bytes), depth: 0 };
  const checks = [...scanner.scan(file, context)];
  assert.deepEqual(context.members, []);
  return { checks, facts: context.facts, assets: context.assets, templates };
}

export const matchesManifest = (name: string, content: string | Uint8Array) =>
  manifestScanner({ checkTemplate: () => [] }).matches({
    name,
    source: memorySource(typeof content === "string" ? bytesOf(content) : content),
    depth: 0,
  });

export const failed = ({ checks }: Outcome) => checks.filter(({ status }) => status === "failed");

/** The severities of the findings of a check. */
export const found = (outcome: Outcome, name: string) =>
  failed(outcome).filter((check) => check.name === name).map(({ severity }) => severity);

/** Why the manifest is inconclusive, as words. */
export const incompleteWords = (outcome: Outcome) =>
  failed(outcome).flatMap(({ incomplete }) => incomplete ?? []);

export function assertClean(outcome: Outcome, what: string): void {
  const bad = failed(outcome).filter(({ severity, incomplete }) =>
    severity === "warning" || severity === "critical" || incomplete !== undefined
  );
  assert.deepEqual(bad, [], what);
}

/** Scans each manifest, and compares the findings of its check. */
export async function assertFound(t: Deno.TestContext, rows: readonly Row[]): Promise<void> {
  for (const [title, name, text, check, severity, ruleCode] of rows) {
    await t.step(`${check}: ${title}`, () => {
      assert.ok(matchesManifest(name, text), "not matched");
      const outcome = scanManifest(name, text);
      assert.deepEqual(found(outcome, check), [severity], JSON.stringify(outcome.checks));
      if (ruleCode === undefined) return;
      assert.equal(failed(outcome).find((each) => each.name === check)?.ruleCode, ruleCode);
    });
  }
}
