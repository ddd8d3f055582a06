import type { ByteSource } from "../../contract/source.ts";
import { Findings } from "./findings.ts";
import { type StreamEnd, walkStream } from "./stream.ts";
import { PickleWindow } from "./window.ts";

/** Instructions that are looked at to tell whether content is a pickle. */
const PROBED_OPCODES = 20_000;

const PROBED_LINE = 64 * 1024;

/** Streams one after another that are looked at. */
const PROBED_STREAMS = 8;

/** So many instructions in a row are no coincidence. */
const MANY_OPCODES = 7;

const HIGHEST_PROTOCOL = 5;
const PROTO = 0x80;
const FRAME = 0x95;

/** Frames that are longer are none. */
const MAX_FRAME = 2 ** 40;

/** The names of modules that are written, not those that any two lines of text make. */
const MODULE_NAME = /^[A-Za-z_][\w.]*$/;

/**
 * Whether content is a pickle, by its instructions: one that declares its protocol and goes on with
 * some that can be carried out, or one that ends with STOP where the content ends, or imports and
 * calls. Text and weights are none.
 */
export function looksLikePickle(source: ByteSource): boolean {
  const window = new PickleWindow(source);
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
    if (end.outcome !== "stop") return false;
    at = end.end;
  }
  return false;
}

/** Whether a stream that begins with PROTO goes on as one. */
function isDeclared(window: PickleWindow, at: number, end: StreamEnd, findings: Findings): boolean {
  if (window.byte(at + 1) > HIGHEST_PROTOCOL) return false;
  if (end.opcodes >= MANY_OPCODES || end.outcome === "limit" || namesModule(findings)) return true;
  if (window.byte(at + 2) === FRAME && window.unsigned(at + 3, 8) < MAX_FRAME) return true;
  return end.outcome === "stop" && (end.end === window.size || window.byte(end.end) === PROTO);
}

/** Whether a stream that declares nothing is a pickle all the same. */
function isEvident(end: StreamEnd, findings: Findings, size: number): boolean {
  if (end.machine.calls > 0 && importsInEarnest(findings)) return true;
  if (end.outcome === "stop") {
    return end.end === size || importsInEarnest(findings);
  }
  return end.outcome === "limit" && (end.machine.memo.size > 0 || importsInEarnest(findings));
}

/** Whether it imports, by a name that is one or in a way that no text takes. */
function importsInEarnest(findings: Findings): boolean {
  return namesModule(findings) ||
    findings.signals.values().some(({ signal }) => signal.name === "Pickle Import");
}

function namesModule(findings: Findings): boolean {
  return findings.imports.values().some(({ module }) => MODULE_NAME.test(module));
}
