import type { Findings, Signal } from "./findings.ts";
import { appliedBy, runsConstructor } from "./applied.ts";
import { blursArrays } from "./array_aliases.ts";
import { foldCall } from "./fold.ts";
import { BLURRED, CONSTRUCTED, ODD_REBUILD } from "./call_signals.ts";
import type { OpcodeName } from "./opcodes.ts";
import type { Fault } from "./parser.ts";
import { detached } from "../../contract/detached.ts";
import { shown, textOf } from "./text.ts";
import type { TorchStorage } from "./torch_storage.ts";
import {
  type Call,
  type Container,
  container,
  extend,
  type Import,
  isContainer,
  type PickleValue,
  PLAIN,
  UNKNOWN_VALUE,
} from "./values.ts";
import type { PickleWindow } from "./window.ts";

/** Characters of a module and a name together. */
const MAX_NAME = 1024;

/** Where a walk does not begin with nothing, as a loader would. */
export interface MachineOptions {
  /** A memo to look into where the own one has no entry, which is then no fault. */
  readonly earlier?: ReadonlyMap<number, PickleValue>;
  /** Whether there may be anything on the stack from before. */
  readonly anyStack?: boolean;
}

/** The stack and the memo of an unpickler, with what is known of each object instead of the object. */
export class Machine {
  readonly window: PickleWindow;
  readonly findings: Findings;
  readonly start: number;
  readonly #options: MachineOptions;
  readonly memo = new Map<number, PickleValue>();
  /** Storages of PyTorch that are asked for, by their keys. */
  readonly storages = new Map<string, TorchStorage>();
  readonly #stack: PickleValue[] = [];
  readonly #marks: number[] = [];
  #fence = 0;
  depth = 0;
  /** Marks that were open at once. */
  nesting = 0;
  /** Containers that were put somewhere again. */
  shared = 0;
  calls = 0;
  /** Whether a call may have given back one of its arguments. */
  #blurred = false;
  fault: Fault | undefined;
  /** Where the instruction that is carried out is, and what it is. */
  at = 0;
  opcode: OpcodeName = "STOP";

  constructor(
    window: PickleWindow,
    findings: Findings,
    start: number,
    options: MachineOptions = {},
  ) {
    this.window = window;
    this.findings = findings;
    this.start = start;
    this.#options = options;
  }

  push(value: PickleValue): void {
    this.#stack.push(value);
    if (this.#stack.length > this.depth) this.depth = this.#stack.length;
  }

  pop(): PickleValue {
    if (this.#stack.length <= this.#fence) return this.#fail("stack_underflow");
    return this.#stack.pop() ?? UNKNOWN_VALUE;
  }

  top(): PickleValue {
    if (this.#stack.length <= this.#fence) return this.#fail("stack_underflow");
    return this.#stack[this.#stack.length - 1] ?? UNKNOWN_VALUE;
  }

  replaceTop(value: PickleValue): void {
    this.pop();
    this.push(value);
  }

  mark(): void {
    this.#fence = this.#stack.length;
    this.#marks.push(this.#fence);
    if (this.#marks.length > this.nesting) this.nesting = this.#marks.length;
  }

  /** Whether POP would take off a mark. */
  onMark(): boolean {
    return this.#marks.length > 0 && this.#fence === this.#stack.length;
  }

  /** Everything down to the topmost mark, which is taken off as well. */
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
    if (this.#options.anyStack !== true) this.fault ??= fault;
    return UNKNOWN_VALUE;
  }

  /** Pushes what is there already. */
  share(value: PickleValue): void {
    if (isContainer(value)) this.shared++;
    if (value.kind === "import") value.record.taken++;
    this.push(value);
  }

  recall(index: number): void {
    const known = this.memo.get(index);
    if (known !== undefined) return this.share(known);
    if (this.#options.earlier === undefined) this.#fail("missing_memo");
    this.share(this.#options.earlier?.get(index) ?? UNKNOWN_VALUE);
  }

  /** The characters of a text or of bytes. */
  textOf = (value: PickleValue): string | undefined => textOf(value, this.window);

  /** Notes what the instruction does, unless it cannot be carried out. */
  signal(signal: Omit<Signal, "position">): void {
    if (this.fault !== undefined) return;
    this.findings.signal({ ...signal, position: this.at });
  }

  /** An import whose names may be anything on the stack. */
  importValues(module: PickleValue, name: PickleValue): PickleValue {
    const moduleText = this.textOf(module);
    const nameText = this.textOf(name);
    const known = moduleText !== undefined && nameText !== undefined;
    if (module.kind !== "text" || name.kind !== "text" || !known) {
      this.#importBuilt(`${moduleText ?? "?"}.${nameText ?? "?"}`);
    }
    return known ? this.importNames(moduleText, nameText) : UNKNOWN_VALUE;
  }

  #importBuilt(path: string): void {
    this.signal({
      name: "Pickle Import",
      severity: "critical",
      ruleCode: "S205",
      message: `Imports a name that is not a constant: ${shown(path)}`,
      why: "The name is put together while the pickle is loading, which hides what is imported",
    });
  }

  importNames(module: string, name: string): Import {
    if (module.length + name.length <= MAX_NAME) return this.#import(module, name);
    this.signal({
      name: "Pickle Import",
      severity: "critical",
      ruleCode: "S205",
      message: `Imports by a name that is longer than any: ${shown(`${module}.${name}`)}`,
      why: "No module and no class is called so; it wears down whoever reads it",
    });
    return this.#import(detached(module.slice(0, MAX_NAME)), detached(name.slice(0, MAX_NAME)));
  }

  #import(module: string, name: string): Import {
    const record = this.findings.imported(module, name, this.at, this.opcode);
    if (this.#blurred && this.findings.hasArrays()) this.signal(BLURRED);
    return { kind: "import", record };
  }

  /** What a call gives, by a constant where it can be known. */
  call(callee: PickleValue, args: readonly PickleValue[]): PickleValue {
    if (this.fault !== undefined) return UNKNOWN_VALUE;
    this.calls++;
    this.#judgeCallee(callee);
    for (const value of args) if (value.kind === "import") value.record.called = true;
    this.#judgeApplied(callee, args);
    const folded = foldCall(callee, args, this);
    if (callee.kind === "import" && folded !== undefined && isHarmless(folded)) {
      callee.record.spent++;
    }
    return folded ?? { kind: "call", callee, args } satisfies Call;
  }

  #judgeCallee(callee: PickleValue): void {
    if (callee.kind === "import") {
      callee.record.called = true;
    } else if (callee.kind === "call") {
      this.signal({
        name: "Pickle Call",
        severity: "warning",
        ruleCode: "S201",
        message: "Calls what a call has returned",
        why: "What is called is known only while the pickle is loading",
      });
    } else if (callee.kind === "persistent" || callee.kind === "unknown") {
      this.signal({
        name: "Pickle Call",
        severity: callee.kind === "unknown" ? "critical" : "warning",
        ruleCode: callee.kind === "unknown" ? "S201" : "S212",
        message: callee.kind === "unknown"
          ? "Calls an object of unknown origin"
          : "Calls an object that the loader provides",
      });
    }
  }

  /** Judges what a call calls in turn. */
  #judgeApplied(callee: PickleValue, args: readonly PickleValue[]): void {
    const applied = appliedBy(callee, args);
    for (const record of applied.imports) record.called = true;
    if (applied.odd) this.signal(ODD_REBUILD);
    const constructed = runsConstructor(callee, args, this.opcode);
    if (constructed !== undefined) {
      this.signal({ ...CONSTRUCTED, message: `Constructs ${constructed}` });
    }
    this.#blurred ||= blursArrays(callee, args, this.textOf);
    if (this.#blurred && this.findings.hasArrays()) this.signal(BLURRED);
  }

  /** Puts items into what lies on top: a container, or an object by its methods. */
  extendTop(items: readonly PickleValue[]): void {
    const target = this.top();
    if (isContainer(target)) extend(target, items);
    else this.mutated(target);
  }

  /** Notes that an object is changed in place. */
  mutated(target: PickleValue): void {
    if (target.kind !== "import") return;
    const { module, name } = target.record;
    this.signal({
      name: "Pickle Mutation",
      severity: "critical",
      ruleCode: MUTATION_RULES[this.opcode] ?? "S209",
      message: `Changes the imported object ${shown(`${module}.${name}`)} in place`,
      why:
        "A pickle makes objects of its own; one that changes those of a library plants code there",
      details: { opcode: this.opcode },
    });
  }

  /** BUILD: gives the object on top a state. */
  build(state: PickleValue): void {
    const target = this.top();
    if (target.kind === "call") target.state = state;
    this.mutated(target);
    this.#markMethods(state, 2);
  }

  /** A state with an import under the name of a method makes the object call it. */
  #markMethods(state: PickleValue, levels: number): void {
    if (!isContainer(state) || levels === 0) return;
    if (state.kind === "tuple") {
      for (const part of state.items.slice(0, 2)) this.#markMethods(part, levels - 1);
      return;
    }
    // The same state may be given a hundred thousand times.
    for (let i = state.searched; i + 1 < state.items.length; i += 2) {
      state.searched = i + 2;
      const value = state.items[i + 1];
      if (value?.kind !== "import" || value.record.called) continue;
      const key = this.textOf(state.items[i] ?? PLAIN);
      if (key?.startsWith("__") && key.endsWith("__")) value.record.called = true;
    }
  }

  collect(kind: Container["kind"], items: PickleValue[]): void {
    this.push(container(kind, items));
  }
}

/** Whether a call gave no more than pickles of ordinary objects look up: that of a time zone. */
function isHarmless(folded: PickleValue): boolean {
  return folded.kind === "import" && folded.record.module === "zoneinfo" &&
    folded.record.name === "ZoneInfo._unpickle";
}

const MUTATION_RULES: { readonly [name in OpcodeName]?: Signal["ruleCode"] } = {
  BUILD: "S207",
  SETITEM: "S209",
  SETITEMS: "S210",
};
