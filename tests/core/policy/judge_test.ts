import * as assert from "node:assert/strict";
import { judge } from "../../../core/policy/judge.ts";
import { parsePolicy } from "../../../core/policy/parse.ts";
import type { Facts, Policy } from "../../../core/policy/policy.ts";

const DAY_MS = 24 * 60 * 60_000;

function policyOf(...rule: readonly Record<string, unknown>[]): Policy {
  return policyWith("allow", ...rule);
}

function policyWith(effect: string, ...rule: readonly Record<string, unknown>[]): Policy {
  const parsed = parsePolicy({ default: effect, rule });
  if ("problem" in parsed) throw new Error(parsed.problem);
  return parsed;
}

const MODEL: Facts = { repository: "google/gemma", kind: "model" };

/** What a policy says, in a word and the rule. */
function said(policy: Policy, facts: Partial<Facts>, origin: "mirror" | "upload" = "mirror") {
  const decision = judge(policy, { ...MODEL, ...facts }, origin);
  const missing = decision.outcome === "undecided" ? ` ${decision.missing.join("+")}` : "";
  return `${decision.outcome} by ${decision.rule}${missing}`;
}

Deno.test("C 28 the first rule that matches decides, and else the default", () => {
  const rules = [
    { name: "own", allow: "Reviewed", repository: ["google/*", "gpt2"] },
    { name: "none", deny: "Ask first", kind: "model" },
  ];
  assert.equal(said(policyOf(...rules), {}), "allow by own");
  assert.equal(said(policyOf(...rules), { repository: "gpt2" }), "allow by own");
  assert.equal(said(policyOf(...rules), { repository: "evil/gpt2" }), "deny by none");
  assert.equal(said(policyOf(...rules), { repository: "x/google" }), "deny by none");
  assert.equal(said(policyOf(...rules), { repository: "Google/Gemma" }), "allow by own");
  const other = { repository: "x/y", kind: "dataset" } as const;
  assert.equal(said(policyOf(...rules), other), "allow by default");
  assert.equal(said(policyWith("deny", ...rules), other), "deny by default");
  assert.deepEqual(judge(policyOf(...rules), { ...MODEL, repository: "x/y" }, "mirror"), {
    outcome: "deny",
    rule: "none",
    words: "Ask first",
  });
});

Deno.test("C 28 each condition is on one fact, and all of a rule have to hold", () => {
  const cases: readonly (readonly [object, Partial<Facts>, Partial<Facts>])[] = [
    [{ repository: "goo*/*" }, {}, { repository: "g/goo" }],
    [{ repository: "goo*/*" }, {}, { repository: null }],
    [{ kind: ["dataset", "model"] }, {}, { kind: "file" }],
    [{ file: "*.pkl" }, { file: "a/B.PKL" }, { file: "a/b.pkl.txt" }],
    [{ file: "/config.json" }, { file: "config.json" }, { file: "a/config.json" }],
    [{ format: ["pickle", "hdf5"] }, { format: "hdf5" }, { format: "gguf" }],
    [{ license: "MIT" }, { license: "mit" }, { license: null }],
    [{ larger_than: "1KiB" }, { size: 1025 }, { size: 1024 }],
    [{ smaller_than: 10 }, { size: 9 }, { size: 10 }],
    [{ younger_than: "7d" }, { age: 7 * DAY_MS - 1 }, { age: 7 * DAY_MS }],
    [{ older_than: "1h" }, { age: DAY_MS }, { age: null }],
    [{ verdict: ["suspicious", "failed"] }, { verdict: "failed" }, { verdict: "clean" }],
    [{ remote_code: true }, { remoteCode: true }, { remoteCode: false }],
    [{ remote_code: false }, { remoteCode: false }, { remoteCode: true }],
    [
      { file: "*.bin", larger_than: 5 },
      { file: "a.bin", size: 6 },
      { file: "a.bin", size: 5 },
    ],
  ];
  for (const [conditions, matching, other] of cases) {
    const policy = policyOf({ name: "it", deny: "No", ...conditions });
    assert.equal(said(policy, matching), "deny by it", JSON.stringify(conditions));
    assert.equal(said(policy, other), "allow by default", JSON.stringify(conditions));
  }
});

Deno.test("C 28 what is not known yet leaves a file undecided only if it can decide", () => {
  const pickles = { name: "pickles", deny: "No pickles", format: "pickle" };
  const reviewed = { name: "reviewed", allow: "Reviewed", repository: "google/*" };
  const clean = { name: "clean", allow: "Nothing found", verdict: "clean" };
  assert.equal(said(policyOf(pickles), {}), "undecided by pickles format");
  // An earlier rule decides, whatever the format is.
  assert.equal(said(policyOf(reviewed, pickles), {}), "allow by reviewed");
  // Both refuse it.
  assert.equal(said(policyWith("deny", pickles), {}), "deny by default");
  assert.equal(said(policyOf(clean, pickles), {}), "undecided by pickles verdict+format");
  assert.equal(said(policyOf(clean, pickles), { verdict: "clean" }), "allow by clean");
  assert.equal(said(policyOf(clean, pickles), { format: "gguf" }), "allow by default");
  assert.equal(said(policyWith("deny", clean), { verdict: "dangerous" }), "deny by default");
  // A condition that does not hold settles its rule, though another one is not known.
  const both = { name: "both", deny: "No", file: "*.pt", format: "pickle" };
  assert.equal(said(policyOf(both), { file: "a.txt" }), "allow by default");
});

Deno.test("C 28 rules apply to uploads if they say so, and what none of them refuses is allowed", () => {
  const policy = policyWith(
    "deny",
    { name: "pickles", deny: "No pickles", file: "*.pkl" },
    { name: "bins", deny: "No weights", file: "*.bin", uploads: true },
  );
  assert.equal(said(policy, { file: "a.pkl" }, "upload"), "allow by default");
  assert.equal(said(policy, { file: "a.bin" }, "upload"), "deny by bins");
  assert.equal(said(policy, { file: "a.txt" }, "mirror"), "deny by default");
});

Deno.test("C 28 a pattern with very many ways to match is settled without trying them all", () => {
  const policy = policyOf({ name: "it", deny: "No", file: "*a".repeat(200) });
  assert.equal(said(policy, { file: "a".repeat(4000) + "b" }), "allow by default");
});
