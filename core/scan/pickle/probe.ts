import type { ByteSource } from "../source.ts";
import { Findings } from "./findings.ts";
import { type StreamEnd, walkStream } from "./stream.ts";
import { Window } from "./window.ts";

/** Instructions that are looked at to tell whether content is a pickle. */
const PROBED_OPCODES = 20_000;

const PROBED_LINE = 64 * 1024;

/** Streams one after another that are looked at. */
const PROBED_STREAMS = 8;

const HIGHEST_PROTOCOL = 5;
const PROTO = 0x80;

/** The names of modules that are written, not those that any two lines of text make. */
const MODULE_NAME = /^[A-Za-z_][\w.]*$/;

/**
 * Whether content is a pickle, by its instructions: one that declares its protocol and goes on with
 * some that can be carried out, or one that ends with STOP where the content ends, or imports and
 * calls. Text and weights are none.
 */
export function looksLikePickle(source: ByteSource): boolean {
  const window = new Window(source);
  const opcodes = { left: PROBED_OPCODES };
  let at = 0;
  for (let stream = 0; stream < PROBED_STREAMS && at < source.size; stream++) {
    const findings = new Findings();
    const walk = { findings, opcodes, guesses: { left: 0 }, lineLimit: PROBED_LINE };
    const end = walkStream(window, at, walk);
    const declared = window.byte(at) === PROTO;
    if (declared ? isDeclared(window, at, end, findings) : isEvident(end, findings, source.size)) {
      return true;
    }
    if (end.outcome !== "stop" || end.opcodes < 2) return false;
    at = end.end;
  }
  return false;
}

/** Whether a stream that begins with PROTO goes on as one. */
function isDeclared(window: Window, at: number, end: StreamEnd, findings: Findings): boolean {
  if (window.byte(at + 1) > HIGHEST_PROTOCOL) return false;
  if (end.outcome === "stop" || end.outcome === "limit") return end.opcodes >= 3;
  const cut = end.outcome === "truncated" && end.opcodes >= 3;
  return cut || end.opcodes >= 8 || importsInEarnest(findings);
}

/** Whether a stream that declares nothing is a pickle all the same. */
function isEvident(end: StreamEnd, findings: Findings, size: number): boolean {
  if (end.machine.calls > 0 && importsInEarnest(findings)) return true;
  if (end.outcome === "stop") {
    return end.opcodes >= 2 && (end.end === size || importsInEarnest(findings));
  }
  return end.outcome === "limit" && (end.machine.memo.size > 0 || importsInEarnest(findings));
}

function importsInEarnest(findings: Findings): boolean {
  return findings.imports.values().some(({ module }) => MODULE_NAME.test(module)) ||
    findings.signals.values().some(({ signal }) => signal.name === "Pickle Import");
}
