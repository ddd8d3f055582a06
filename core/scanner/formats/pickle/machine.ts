import { detached } from "../../contract/detached.ts";
import type { Budget } from "./budget.ts";
import { callSignals } from "./calls.ts";
import {
  container,
  CONTAINER_BYTES,
  extend,
  type Growth,
  type IsNotableKey,
  keptBytes,
} from "./containers.ts";
import type { Findings, Signal } from "./findings.ts";
import { foldCall, isHarmless } from "./fold.ts";
import { IncompleteObjects } from "./incomplete.ts";
import { ALIASED_ARRAY, mayReturnAlias } from "./joblib_arrays.ts";
import { Memo } from "./memo.ts";
import { memorySignal } from "./memory_keys.ts";
import { mutationSignal } from "./mutation.ts";
import { addTo, CALL_BYTES, callOf, setState } from "./objects.ts";
import { computedName, overlongName } from "./name_signals.ts";
import type { OpcodeName } from "./opcodes.ts";
import type { Fault } from "./parser.ts";
import { Reach, store } from "./reach.ts";
import { itemSignals, stateSignals, storedSignal } from "./states.ts";
import { Texts } from "./texts.ts";
import type { TorchStorage } from "./torch_storage.ts";
import { INERT, isStored, levelOfAll } from "./traits.ts";
import {
  type Call,
  type Container,
  type Import,
  isContainer,
  type PickleValue,
  type TextOf,
  UNKNOWN,
} from "./values.ts";
import type { PickleWindow } from "./window.ts";

/** The most memory that a value on the stack takes unless a container or the memo holds it, and a mark. */
const STACKED_BYTES = 88;
const MARK_BYTES = 24;
/** The most memory that an import takes besides its record. */
const IMPORT_BYTES = 40;

/** Longest module and name together, in characters. Longer ones are cut. */
const MAX_NAME_CHARACTERS = 1024;

const NO_KEYWORDS: readonly PickleValue[] = [];

/** State that a walk inherits, unlike a loader that starts at its first instruction. */
export interface MachineOptions {
  /** Entries for the memo to fall back on. If given, a missing entry is unknown and not a fault. */
  readonly earlierMemo?: Pick<Memo, "get">;
  /** Whether values below the bottom of the stack are unknown instead of a fault. */
  readonly unknownStack?: boolean;
}

/** The stack and the memo of an unpickler, with a description of each object instead of the object. */
export class Machine {
  readonly window: PickleWindow;
  readonly findings: Findings;
  /** Offset of the first instruction. */
  readonly start: number;
  /** Returns the characters of a string, or of bytes as Latin-1; undefined if too long to decode. */
  readonly textOf: TextOf;
  readonly isNotableKey: IsNotableKey;
  readonly #options: MachineOptions;
  readonly #memory: Budget;
  /** What this machine has taken of the memory. */
  #taken = 0;
  readonly memo = new Memo((bytes) => this.#take(bytes));
  readonly reach = new Reach();
  readonly #incomplete = new IncompleteObjects();
  /** Referenced PyTorch storages by key. */
  readonly storages = new Map<string, TorchStorage>();
  readonly #stack: PickleValue[] = [];
  readonly #marks: number[] = [];
  /** Stack height at the topmost mark. Nothing below it can be popped. */
  #fence = 0;
  /** Highest stack height, and highest number of open marks. */
  depth = 0;
  nesting = 0;
  /** Number of times a container was pushed again. */
  shared = 0;
  calls = 0;
  /** Whether a call may have returned one of its arguments. */
  #mayAlias = false;
  fault: Fault | undefined;
  /** Offset and opcode of the current instruction. */
  at = 0;
  opcode: OpcodeName = "STOP";

  constructor(
    window: PickleWindow,
    findings: Findings,
    start: number,
    memory: Budget,
    options: MachineOptions = {},
  ) {
    this.#memory = memory;
    this.window = window;
    const texts = new Texts(window);
    this.textOf = texts.textOf;
    this.isNotableKey = texts.isNotableKey;
    this.findings = findings;
    this.start = start;
    this.#options = options;
  }

  push(value: PickleValue): void {
    this.#stack.push(value);
    if (this.#stack.length <= this.depth) return;
    this.depth = this.#stack.length;
    this.#take(STACKED_BYTES);
  }

  /** Whether the values have taken all memory that they may. */
  get isFull(): boolean {
    return this.#memory.left < 0;
  }

  #take(bytes: number): void {
    this.#taken += bytes;
    this.#memory.left -= bytes;
  }

  /** Gives the memory back. The machine must not run any more. */
  release(): void {
    this.#memory.left += this.#taken;
    this.#taken = 0;
  }

  /** Stores the value on top in the memo. */
  remember(index: number): void {
    this.memo.set(index, this.top());
  }

  pop(): PickleValue {
    if (this.#stack.length <= this.#fence) return this.#fail("stack_underflow");
    return this.#stack.pop() ?? UNKNOWN;
  }

  top(): PickleValue {
    if (this.#stack.length <= this.#fence) return this.#fail("stack_underflow");
    return this.#stack[this.#stack.length - 1] ?? UNKNOWN;
  }

  replaceTop(value: PickleValue): void {
    this.pop();
    this.push(value);
  }

  mark(): void {
    this.#fence = this.#stack.length;
    this.#marks.push(this.#fence);
    if (this.#marks.length <= this.nesting) return;
    this.nesting = this.#marks.length;
    this.#take(MARK_BYTES);
  }

  /** Whether a mark is on top of the stack. */
  onMark(): boolean {
    return this.#marks.length > 0 && this.#fence === this.#stack.length;
  }

  /** Pops the topmost mark and everything above it. */
  popMark(): PickleValue[] {
    const mark = this.#marks.pop();
    if (mark === undefined) {
      this.#fail("stack_underflow");
      return [];
    }
    this.#fence = this.#marks[this.#marks.length - 1] ?? 0;
    return this.#stack.splice(mark);
  }

  #fail(fault: Fault): PickleValue {
    if (this.#options.unknownStack !== true) this.fault ??= fault;
    return UNKNOWN;
  }

  /** Pushes a value that exists already. */
  share(value: PickleValue): void {
    if (isContainer(value)) this.shared++;
    if (value.kind === "import") value.record.pushed++;
    this.push(value);
  }

  recall(index: number): void {
    const known = this.memo.get(index);
    if (known !== undefined) return this.share(known);
    const { earlierMemo } = this.#options;
    if (earlierMemo === undefined) this.#fail("missing_memo");
    this.share(earlierMemo?.get(index) ?? UNKNOWN);
  }

  /** Adds a signal at the current instruction, unless there is none or the instruction failed. */
  signal(signal: Omit<Signal, "position"> | undefined): void {
    if (signal === undefined || this.fault !== undefined) return;
    this.findings.addSignal({ ...signal, position: this.at });
  }

  /** Imports names from the stack, which may be computed or unknown. */
  importValues(module: PickleValue, name: PickleValue): PickleValue {
    const moduleText = this.textOf(module);
    const nameText = this.textOf(name);
    const known = moduleText !== undefined && nameText !== undefined;
    if (module.kind !== "text" || name.kind !== "text" || !known) {
      this.signal(computedName(`${moduleText ?? "?"}.${nameText ?? "?"}`));
    }
    return known ? this.importNames(moduleText, nameText) : UNKNOWN;
  }

  importNames(module: string, name: string): Import {
    if (module.length + name.length <= MAX_NAME_CHARACTERS) return this.#import(module, name);
    this.signal(overlongName(`${module}.${name}`));
    const cut = (text: string) => detached(text.slice(0, MAX_NAME_CHARACTERS));
    return this.#import(cut(module), cut(name));
  }

  #import(module: string, name: string): Import {
    const record = this.findings.addImport(module, name, this.at, this.opcode);
    this.#signalAliasedArray();
    this.#take(IMPORT_BYTES);
    return { kind: "import", record };
  }

  #signalAliasedArray(): void {
    if (this.#mayAlias && this.findings.hasJoblibArrays()) this.signal(ALIASED_ARRAY);
  }

  /** Returns the result of a call, folded to a constant if possible. */
  call(
    callee: PickleValue,
    args: PickleValue[],
    keywords: readonly PickleValue[] = NO_KEYWORDS,
  ): PickleValue {
    if (this.fault !== undefined) return UNKNOWN;
    this.calls++;
    const given = keywords.length > 0 ? [...args, ...keywords] : args;
    for (const signal of callSignals(callee, args, keywords, this)) this.signal(signal);
    this.signal(this.#incomplete.signalOf(given));
    this.#mayAlias ||= mayReturnAlias(callee, given, this.textOf);
    this.#signalAliasedArray();
    const folded = foldCall(callee, given, this);
    if (callee.kind === "import" && folded !== undefined && isHarmless(folded)) {
      callee.record.harmlessCalls++;
    }
    if (folded !== undefined) return folded;
    const made = callOf(callee, given);
    this.#take(CALL_BYTES + this.#incomplete.add(made));
    return made;
  }

  /** Adds items to the value on top: a container, or an object through its methods. */
  extendTop(items: PickleValue[]): void {
    const target = this.top();
    this.signal(this.#incomplete.signalOf(items));
    if (isContainer(target)) {
      this.signal(memorySignal(items, target.items.at(-1), this.textOf));
      return this.#note(target, items, extend(target, items, this.isNotableKey));
    }
    this.signal(mutationSignal(target, this.opcode));
    this.#store(items, target);
    if (target.kind !== "call") return;
    this.signal(memorySignal(items, undefined, this.textOf));
    for (const signal of itemSignals(target, this.opcode)) this.signal(signal);
    this.#note(target, items, addTo(target, items, this.isNotableKey));
  }

  /** Sets the state of the object on top, as BUILD does. */
  build(state: PickleValue): void {
    const target = this.top();
    this.signal(mutationSignal(target, this.opcode));
    this.signal(this.#incomplete.signalOf([state]));
    this.#incomplete.complete(target);
    this.#store([state], target);
    if (target.kind !== "call") return;
    for (const signal of stateSignals(target, state, this)) this.signal(signal);
    this.#note(target, [state], setState(target, state));
  }

  /** Notes what becomes a part of an object. */
  #store(values: readonly PickleValue[], target: PickleValue): void {
    const suspect = levelOfAll(values) === INERT ? undefined : store(values);
    if (suspect !== undefined && target.kind === "call") this.signal(storedSignal(suspect));
  }

  #note(target: Container | Call, added: readonly PickleValue[], growth: Growth): void {
    this.#take(growth.bytes);
    if (growth.isLate) this.reach.changeLate();
    // What holds the target may be a part of an object already.
    if (growth.isLate || isStored(target)) store(added);
  }

  pushContainer(kind: Container["kind"], items: PickleValue[]): void {
    this.signal(memorySignal(items, undefined, this.textOf));
    this.signal(this.#incomplete.signalOf(items));
    const made = container(kind, items, this.isNotableKey);
    this.#take(CONTAINER_BYTES + keptBytes(made.items));
    this.push(made);
  }
}
