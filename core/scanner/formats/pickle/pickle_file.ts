import type { ByteSource } from "../../contract/source.ts";
import type { ScanLimits } from "../../contract/scanner.ts";
import { expandedSize } from "./expansion.ts";
import { Findings, type Signal } from "./findings.ts";
import { LegacyTorch } from "./legacy_torch.ts";
import { type NestedSearch, searchConstant } from "./nested.ts";
import { type Allowance, type StreamEnd, walkStream } from "./stream.ts";
import type { TorchStorage } from "./torch_storage.ts";
import { PickleWindow } from "./window.ts";

/** Bytes behind a pickle in which the next one is looked for. */
const RESYNC_BYTES = 64 * 1024 + 256;

/** Places where one could begin that are tried. */
const RESYNC_ATTEMPTS = 64;

/** Marks that are open at once; pickles of Python stay below its limit of recursion. */
const MAX_NESTING = 3_000;

/** Objects that a small pickle may stand for. */
const MAX_EXPANDED = 2 ** 19;
const MAX_EXPANSION = 1000;
const MIN_SHARED = 16;

const PROTO = 0x80;

/** Walks all pickles that lie in one content, one after another. */
export class PickleFile {
  readonly findings = new Findings();
  /** The storages of PyTorch that are asked for, by their keys. */
  readonly storages = new Map<string, TorchStorage>();
  readonly #window: PickleWindow;
  readonly #opcodes: Allowance;
  readonly #search: NestedSearch;
  readonly #legacy = new LegacyTorch();
  readonly #limit: number;
  #attempts = RESYNC_ATTEMPTS;
  depth = 0;
  opcodes = 0;
  streams = 0;

  constructor(source: ByteSource, limits: ScanLimits) {
    this.#window = new PickleWindow(source);
    this.#limit = limits.maxOpcodes;
    this.#opcodes = { left: limits.maxOpcodes };
    this.#search = {
      opcodes: { left: limits.maxOpcodes },
      guesses: { left: limits.maxOpcodes },
      levels: limits.maxDepth,
    };
  }

  /** Walks them, and leaves what was found. */
  walk(): void {
    const { size } = this.#window;
    let at = 0;
    while (at < size) {
      const next = this.#walkStream(at);
      if (next === undefined) return;
      at = next;
    }
  }

  /** Walks one and says where the next begins; undefined where there is none. */
  #walkStream(at: number): number | undefined {
    const findings = new Findings();
    const end = this.#keepingDenied(findings, () =>
      walkStream(this.#window, at, {
        findings,
        opcodes: this.#opcodes,
        guesses: this.#search.guesses,
        follows: this.streams > 0,
        onConstant: (constant) => searchConstant(constant, findings, this.#search),
      }));
    if (this.streams > 0 && !isStream(end, findings, this.#window.byte(at) === PROTO)) {
      if (this.#legacy.atStorages) return undefined;
      return end.outcome === "limit" ? this.#stopAtLimit(at) : this.#resync(at + 1);
    }
    this.#take(end, findings);
    if (end.outcome === "limit") return this.#stopAtLimit(end.end);
    if (end.outcome !== "stop") return this.#afterFault(end);
    return this.#afterStop(end);
  }

  /** What was found until a walk breaks off is not lost with it. */
  #keepingDenied(findings: Findings, walk: () => StreamEnd): StreamEnd {
    try {
      return walk();
    } catch (error) {
      this.findings.absorbDenied(findings);
      throw error;
    }
  }

  #take(end: StreamEnd, findings: Findings): void {
    this.findings.absorb(findings);
    for (const [key, storage] of end.machine.storages) this.storages.set(key, storage);
    this.streams++;
    this.opcodes += end.opcodes;
    this.depth = Math.max(this.depth, end.machine.depth);
    this.#judgeSize(end);
  }

  #judgeSize(end: StreamEnd): void {
    const { machine } = end;
    if (machine.nesting > MAX_NESTING) {
      const message = `${machine.nesting} marks are open at once`;
      this.#tell("Pickle Stack Depth", "warning", message, machine.start);
    }
    if (machine.shared < MIN_SHARED) return;
    const size = expandedSize(end.result);
    if (size < MAX_EXPANDED || size < end.opcodes * MAX_EXPANSION) return;
    this.#tell(
      "Pickle Expansion",
      "warning",
      `${end.opcodes} instructions make an object of ${size} parts`,
      machine.start,
      { why: "Objects that hold each other many times over exhaust whoever walks through them" },
    );
  }

  #tell(
    name: Signal["name"],
    severity: Signal["severity"],
    message: string,
    position: number,
    more: Partial<Signal> = {},
  ): void {
    this.findings.signal({ name, severity, message, position, ruleCode: "S902", ...more });
  }

  #stopAtLimit(at: number): undefined {
    const message = `More than ${this.#limit} instructions are not looked at`;
    const more = { incomplete: "opcode_limit", operational: true };
    this.#tell("Pickle Opcode Limit", "info", message, at, more);
  }

  #afterFault(end: StreamEnd): number | undefined {
    const message = `The pickle cannot be read on: ${end.outcome.replaceAll("_", " ")}`;
    const incomplete = end.outcome === "truncated" ? "truncated_stream" : "malformed_stream";
    this.#tell("Pickle Structure", "info", message, end.end, { incomplete });
    return this.#resync(end.end + 1);
  }

  #afterStop(end: StreamEnd): number | undefined {
    const signal = this.#legacy.next(end);
    if (signal !== undefined) this.findings.signal(signal);
    if (this.#legacy.atStorages && this.#window.byte(end.end) !== PROTO) return undefined;
    if (end.frameEnd !== undefined) this.#walkBehindFrame(end.frameEnd);
    return end.end;
  }

  /** A loader that reads frames whole goes on behind the frame, whatever lies before. */
  #walkBehindFrame(at: number): void {
    if (at >= this.#window.size) return;
    const findings = new Findings();
    const walk = { findings, opcodes: this.#opcodes, guesses: this.#search.guesses };
    this.opcodes += walkStream(this.#window, at, walk).opcodes;
    this.findings.absorbDenied(findings);
  }

  /** The next place that looks like the beginning of a pickle, if there is one nearby. */
  #resync(from: number): number | undefined {
    const stop = Math.min(from + RESYNC_BYTES, this.#window.size - 1);
    for (let at = from; at < stop && this.#attempts > 0; at++) {
      if (this.#window.byte(at) !== PROTO || this.#window.byte(at + 1) > 5) continue;
      this.#attempts--;
      return at;
    }
    if (!this.#isPadding(from - 1)) {
      const more = { incomplete: "trailing_data" };
      this.#tell("Pickle Structure", "info", "Data follows that is no pickle", from - 1, more);
    }
    return undefined;
  }

  /** Whether nothing but zeros and white space follows, and little of it. */
  #isPadding(from: number): boolean {
    if (this.#window.size - from > RESYNC_BYTES) return false;
    return this.#window.bytes(from, RESYNC_BYTES).every((byte) =>
      byte === 0 || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
    );
  }
}

/** Whether what was walked behind a pickle was another one, and not some bytes. */
function isStream(end: StreamEnd, findings: Findings, declared: boolean): boolean {
  if (end.outcome === "stop") return true;
  if (findings.denied().length > 0) return true;
  return declared && end.opcodes >= 4;
}
