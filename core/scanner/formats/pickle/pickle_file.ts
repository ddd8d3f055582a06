import { TensorNames } from "../tensors/tensor_names.ts";
import { KIB } from "../../../../schemas/units.ts";
import type { ByteSource } from "../../contract/source.ts";
import { LIMIT_SETTINGS } from "../../contract/limits.ts";
import type { ScanLimits } from "../../contract/scanner.ts";
import type { Budget } from "./budget.ts";
import { importsPlausibly, namesModule } from "./detect.ts";
import { Findings, type Signal } from "./findings.ts";
import { LegacyTorch } from "./legacy_torch.ts";
import { ArrayCounts, isTensorName } from "./ml_context.ts";
import { type NestedBudgets, NestedSearch } from "./nested.ts";
import { MAX_PROTOCOL, PROTO } from "./opcodes.ts";
import { MAX_LINE_BYTES } from "./parser.ts";
import { type StreamEnd, walkStream } from "./stream.ts";
import { StringSearch } from "./string_search.ts";
import type { TorchStorage } from "./torch_storage.ts";
import { expandedSize } from "./expansion.ts";
import { PickleWindow } from "./window.ts";

/** Bytes after a stream that are searched for the next one. */
const MAX_RESYNC_BYTES = 64 * KIB + 256;

/** Candidates for the next stream that are tried. */
const MAX_RESYNC_ATTEMPTS = 64;

/** Open marks. Pickles that Python writes stay below its recursion limit. */
const MAX_NESTING = 3_000;

/** A pickle is an expansion bomb if it expands to this many objects, and this many per instruction. */
const MIN_BOMB_OBJECTS = 2 ** 19;
const MIN_BOMB_RATIO = 1000;

/** Containers that must be shared for the expansion to be computed. */
const MIN_SHARED = 16;

/** Walks the pickle streams in one file or member, one after another. */
export class PickleFile {
  readonly findings = new Findings();
  /** Referenced PyTorch storages by key. */
  readonly storages = new Map<string, TorchStorage>();
  readonly arrays = new ArrayCounts();
  /** The strings that look like names of tensors. */
  readonly names = new TensorNames();
  readonly #window: PickleWindow;
  readonly #opcodes: Budget;
  readonly #nested: NestedBudgets;
  readonly #nestedLevels: number;
  readonly #strings: StringSearch;
  readonly #legacy = new LegacyTorch();
  readonly #limits: ScanLimits;
  #attempts = MAX_RESYNC_ATTEMPTS;
  depth = 0;
  opcodes = 0;
  streams = 0;

  constructor(source: ByteSource, limits: ScanLimits) {
    this.#window = new PickleWindow(source);
    this.#limits = limits;
    this.#opcodes = { left: limits.maxOpcodes };
    this.#nestedLevels = limits.maxDepth;
    this.#strings = new StringSearch(
      (signal) => this.findings.addSignal(signal),
      (text) => {
        if (isTensorName(text)) this.names.add(text);
      },
    );
    this.#nested = {
      opcodes: { left: limits.maxOpcodes },
      arrayOpcodes: { left: limits.maxOpcodes },
      memory: { left: limits.maxValueBytes },
    };
  }

  /** Walks all streams. If a read throws midway, the critical imports of that stream are kept. */
  walk(): void {
    const { size } = this.#window;
    let at = 0;
    while (at < size) {
      const next = this.#walkStream(at);
      if (next === undefined) break;
      at = next;
    }
    this.#strings.finish();
  }

  /** Walks one stream. Returns the offset of the next one, or undefined if there is none. */
  #walkStream(at: number): number | undefined {
    const findings = new Findings();
    const nested = new NestedSearch(findings, this.#nested, this.#nestedLevels);
    const end = this.#mergeDeniedOnThrow(findings, () =>
      walkStream(this.#window, at, {
        findings,
        opcodes: this.#opcodes,
        arrayOpcodes: this.#nested.arrayOpcodes,
        memory: this.#nested.memory,
        inheritsMemo: this.streams > 0,
        // Each candidate may have the rest of the file as its line.
        lineLimit: this.#attempts === MAX_RESYNC_ATTEMPTS ? Infinity : MAX_LINE_BYTES,
        onConstant: (constant) => {
          nested.search(constant);
          this.#strings.add(constant);
        },
        onObject: (object, textOf) => this.arrays.add(object, textOf),
      }));
    if (this.streams > 0 && !isStream(end, findings, this.#window.byte(at) === PROTO)) {
      if (this.#legacy.atStorages) return undefined;
      return end.outcome === "limit" ? this.#stopAtLimit(at) : this.#resync(at + 1);
    }
    this.#accept(end, findings);
    if (end.outcome === "limit") return this.#stopAtLimit(end.end);
    if (end.outcome !== "stop") return this.#afterFault(end);
    return this.#afterStop(end);
  }

  /** Keeps the critical imports of a walk that throws, as on a timeout. */
  #mergeDeniedOnThrow(findings: Findings, walk: () => StreamEnd): StreamEnd {
    try {
      return walk();
    } catch (error) {
      this.findings.mergeDenied(findings);
      throw error;
    }
  }

  #accept(end: StreamEnd, findings: Findings): void {
    this.findings.merge(findings);
    for (const [key, storage] of end.machine.storages) this.storages.set(key, storage);
    this.streams++;
    this.opcodes += end.opcodes;
    this.depth = Math.max(this.depth, end.machine.depth);
    this.#checkSize(end);
  }

  #checkSize(end: StreamEnd): void {
    const { machine } = end;
    if (machine.nesting > MAX_NESTING) {
      this.#signal({
        name: "Pickle Stack Depth",
        severity: "warning",
        message: `${machine.nesting} marks are open at once`,
        position: machine.start,
      });
    }
    if (machine.shared < MIN_SHARED) return;
    const size = expandedSize(end.result);
    if (size < MIN_BOMB_OBJECTS || size < end.opcodes * MIN_BOMB_RATIO) return;
    this.#signal({
      name: "Pickle Expansion",
      severity: "warning",
      message: `${end.opcodes} instructions build an object of ${size} parts`,
      position: machine.start,
      why: "Objects that contain each other many times over exhaust any code that walks them",
      ruleCode: "S214",
    });
  }

  #signal(signal: Signal): void {
    this.findings.addSignal({ ruleCode: "S902", ...signal });
  }

  #stopAtLimit(at: number): undefined {
    const { maxOpcodes, maxValueBytes } = this.#limits;
    const spent = this.#opcodes.left <= 0;
    this.#signal({
      name: "Pickle Opcode Limit",
      severity: "info",
      message: spent
        ? `Scan stopped after ${maxOpcodes} instructions`
        : `Scan stopped as the values took ${maxValueBytes} bytes of memory`,
      position: at,
      incomplete: spent ? "opcode_limit" : "object_limit",
      operational: true,
      details: spent
        ? { limit: maxOpcodes, setting: LIMIT_SETTINGS.maxOpcodes }
        : { limit: maxValueBytes, setting: LIMIT_SETTINGS.maxValueBytes },
    });
  }

  #afterFault(end: StreamEnd): number | undefined {
    this.#signal({
      name: "Pickle Structure",
      severity: "info",
      message: `The pickle cannot be read further: ${end.outcome.replaceAll("_", " ")}`,
      position: end.end,
      incomplete: end.outcome === "truncated" ? "truncated_stream" : "malformed_stream",
    });
    return this.#resync(end.end + 1);
  }

  #afterStop(end: StreamEnd): number | undefined {
    const signal = this.#legacy.advance(end);
    if (signal !== undefined) this.findings.addSignal(signal);
    if (this.#legacy.atStorages && this.#window.byte(end.end) !== PROTO) return undefined;
    if (end.frameEnd !== undefined) this.#walkAfterFrame(end.frameEnd);
    return end.end;
  }

  /** Walks the stream after a frame: loaders that read whole frames continue there. */
  #walkAfterFrame(at: number): void {
    if (at >= this.#window.size) return;
    const findings = new Findings();
    const { arrayOpcodes, memory } = this.#nested;
    const walk = { findings, opcodes: this.#opcodes, arrayOpcodes, memory };
    this.opcodes += walkStream(this.#window, at, walk).opcodes;
    this.findings.mergeDenied(findings);
  }

  /** Returns the next offset where a stream may begin, if there is one nearby. */
  #resync(from: number): number | undefined {
    const stop = Math.min(from + MAX_RESYNC_BYTES, this.#window.size - 1);
    for (let at = from; at < stop && this.#attempts > 0; at++) {
      if (this.#window.byte(at) !== PROTO || this.#window.byte(at + 1) > MAX_PROTOCOL) continue;
      this.#attempts--;
      return at;
    }
    if (!this.#isPadding(from - 1)) {
      this.#signal({
        name: "Pickle Structure",
        severity: "info",
        message: "The data after the pickle is not a pickle",
        position: from - 1,
        incomplete: "trailing_data",
      });
    }
    return undefined;
  }

  /** Whether only zeros and white space follow, and little of it. */
  #isPadding(from: number): boolean {
    if (this.#window.size - from > MAX_RESYNC_BYTES) return false;
    return this.#window.bytes(from, MAX_RESYNC_BYTES).every((byte) =>
      byte === 0 || byte === 0x20 || (byte >= 0x09 && byte <= 0x0d)
    );
  }
}

/** Whether the data after a stream was another stream, and not arbitrary bytes. */
function isStream(end: StreamEnd, findings: Findings, declared: boolean): boolean {
  if (end.outcome === "stop") return true;
  if (findings.denied().length > 0) return true;
  if (end.machine.calls > 0 && importsPlausibly(findings)) return true;
  if (!declared && namesModule(findings)) return true;
  return declared && end.opcodes >= 4;
}
