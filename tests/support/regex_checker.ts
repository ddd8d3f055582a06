/**
 * Reads expressions as JSON on stdin, and prints for each whether it takes linear time, by automata. Runs
 * in a process without this project's configuration: the package has optional parts of 50 MB, which
 * would otherwise be fetched with every start of the server.
 */

import type { Expression, Verdict } from "./regexes.ts";

const TIMEOUT_MS = 60_000;

/** The part of the package's interface that is used here. */
interface Recheck {
  checkSync(source: string, flags: string, options: { timeout: number; checker: "automaton" }):
    | { status: "safe" }
    | { status: "unknown"; error: { kind: string } }
    | { status: "vulnerable"; complexity: { summary: string }; attack: { pattern: string } };
}

// The package's main module would start a program or a thread of its own.
const MODULE = "npm:recheck@4.5.0/lib/browser.js";
const { default: recheck }: { default: Recheck } = await import(MODULE);

function verdictOf({ source, flags }: Expression): Verdict {
  // The other checker, which tries texts, depends on the speed of the host.
  const found = recheck.checkSync(source, flags, { timeout: TIMEOUT_MS, checker: "automaton" });
  switch (found.status) {
    case "safe":
      return {};
    case "unknown":
      return { attack: `unknown: ${found.error.kind}` };
    case "vulnerable":
      return { attack: `${found.complexity.summary}, as by ${found.attack.pattern}` };
  }
}

const expressions: Expression[] = await new Response(Deno.stdin.readable).json();
console.log(JSON.stringify(expressions.map(verdictOf)));
