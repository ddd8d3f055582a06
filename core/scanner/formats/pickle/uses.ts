import {
  type ArgumentKind,
  kindAt,
  leastArguments,
  type Use,
} from "../../knowledge/python/uses.ts";
import { escapedExcerpt, type ImportRecord, type Signal } from "./findings.ts";
import type { OpcodeName } from "./opcodes.ts";
import { makesCallable } from "./objects.ts";
import type { Reach, Reached } from "./reach.ts";
import { hasLost } from "./traits.ts";
import { importPath, isContainer, type PickleValue, type TextOf } from "./values.ts";

export type UseSignal = Omit<Signal, "position">;

/** What judging a use needs of the machine. */
export interface UseContext {
  readonly textOf: TextOf;
  readonly reach: Reach;
}

const CALL_RULES: { readonly [name in OpcodeName]?: Signal["ruleCode"] } = {
  INST: "S202",
  OBJ: "S203",
  NEWOBJ: "S204",
  NEWOBJ_EX: "S204",
};

const BEYOND: Omit<UseSignal, "message"> = {
  name: "Pickle Use",
  severity: "warning",
  why: "The name is known from real files, but none uses it so",
};

const CONSTRUCTS: Omit<UseSignal, "message"> = {
  name: "Pickle Call",
  severity: "warning",
  why: "The constructor may run code or open files named by its arguments; picklers bypass it",
};

/**
 * The signals of a call that goes beyond the uses of what it calls. Marks all that it passes on as
 * called.
 */
export function callUseSignals(
  { callee: record, args, keywords }: {
    callee: ImportRecord;
    args: readonly PickleValue[];
    keywords: readonly PickleValue[];
  },
  opcode: OpcodeName,
  context: UseContext,
): UseSignal[] {
  const judge = new CallJudge(record, opcode, context);
  const { path } = record;
  if (path.startsWith("copyreg.")) return judge.rebuild(args);
  const makes = opcode === "NEWOBJ" || opcode === "NEWOBJ_EX" ||
    args.length === 0 && (opcode === "INST" || opcode === "OBJ");
  return judge.call(record, args, keywords, makes);
}

class CallJudge {
  readonly #function: ImportRecord;
  readonly #ruleCode: Signal["ruleCode"];
  readonly #context: UseContext;

  constructor(called: ImportRecord, opcode: OpcodeName, context: UseContext) {
    this.#function = called;
    this.#ruleCode = CALL_RULES[opcode] ?? "S201";
    this.#context = context;
  }

  /** `copyreg._reconstructor(class, base, state)`, and the functions of the NEWOBJ opcodes. */
  rebuild(args: readonly PickleValue[]): UseSignal[] {
    const own = this.call(this.#function, args, [], false);
    const [made, ...rest] = args;
    if (made?.kind !== "import" || this.#function.path === "copyreg._reconstructor") return own;
    return [...own, ...this.call(made.record, rest, [], true)];
  }

  /** @param makes Whether only an object is made, without running the constructor. */
  call(
    called: ImportRecord,
    args: readonly PickleValue[],
    keywords: readonly PickleValue[],
    makes: boolean,
  ): UseSignal[] {
    const { use, path } = called;
    const everything = keywords.length > 0 ? [...args, ...keywords] : args;
    if (use === undefined) {
      this.#found(everything);
      return [];
    }
    const isBareClass = use.call === undefined && (use.as ?? "class") === "class";
    if (isBareClass && !makes) {
      this.#found(everything);
      return [this.#constructs(path)];
    }
    if (use.call === undefined && !(isBareClass && everything.length === 0)) {
      this.#found(everything);
      return [
        isBareClass
          ? this.#beyond(`Gives arguments to ${path}, which takes none`)
          : this.#beyond(`Calls ${path}, which models only store`),
      ];
    }
    return everything.length === 0 && makes ? [] : this.#wrongArguments(use, path, args, keywords);
  }

  #wrongArguments(
    use: Use,
    path: string,
    args: readonly PickleValue[],
    keywords: readonly PickleValue[],
  ): UseSignal[] {
    if (args.length < leastArguments(use)) {
      this.#found(args);
      return [this.#beyond(`Calls ${path} with too few arguments`)];
    }
    const wrong = args.filter((value, i) => !this.#fits(value, kindAt(use, i)));
    const takesMore = use.call?.at(-1)?.endsWith("*") ?? false;
    const named = keywords.filter((value) => !this.#fits(value, takesMore ? "inert" : undefined));
    return [...wrong, ...named].slice(0, 1).map((value) =>
      this.#beyond(`Gives ${path} ${this.#describe(value)}`)
    );
  }

  #fits(value: PickleValue, kind: ArgumentKind | undefined): boolean {
    const { textOf } = this.#context;
    const found = this.#found([value]);
    const isInert = found.callable === undefined && found.suspect === undefined;
    const isConstant = isAtom(value);
    switch (kind) {
      case undefined:
        return false;
      case "number":
        return value.kind === "integer" || value.kind === "plain";
      case "text":
        return value.kind === "text" || value.kind === "built";
      case "codec":
        return CODECS.has(textOf(value)?.toLowerCase() ?? "");
      case "bytes":
        return value.kind === "bytes" || value.kind === "plain" || isMadeOfBytes(value);
      case "plain":
        return isPlain(value);
      case "inert":
        return isInert;
      case "items":
        return isConstant || isContainer(value) && found.suspect === undefined;
      case "held":
        return found.suspect === undefined;
      case "callable":
        return value.kind === "plain" || isCallable(value) && found.suspect === undefined;
      case "class":
        return isClass(value);
      case "own class":
        return value.kind === "text" ||
          isClass(value) && found.suspect === undefined && this.#isOwn(value);
      case "own maker":
        return isMaker(value) && this.#isOwn(value);
      case "base":
        return isForeign(value) || BASES.has(importPath(value) ?? "");
      case "dtype":
        return DTYPE.test(textOf(value) ?? "") || isClass(value);
      default:
        return kind satisfies never;
    }
  }

  #found(values: readonly PickleValue[]): Reached {
    return this.#context.reach.search(values, markCalled);
  }

  #isOwn(value: PickleValue): boolean {
    return isForeign(value) || rootOf(importPath(value) ?? "") === rootOf(this.#function.path);
  }

  #describe(value: PickleValue): string {
    const { suspect, callable } = this.#found([value]);
    if (suspect !== undefined) return suspect;
    return callable ?? describe(value);
  }

  #beyond(message: string): UseSignal {
    const ruleCode = this.#ruleCode;
    return { ...BEYOND, message: escapedExcerpt(message), ...ruleCode && { ruleCode } };
  }

  #constructs(path: string): UseSignal {
    const ruleCode = this.#ruleCode;
    const message = `Runs the constructor of ${path}`;
    return { ...CONSTRUCTS, message: escapedExcerpt(message), ...ruleCode && { ruleCode } };
  }
}

/** Marks what a call passes on as called: it may call it. */
export function markCalled(record: ImportRecord): void {
  record.called = true;
}

/** Codecs that turn a text into bytes, and look up no module by the name of another one. */
const CODECS: ReadonlySet<string> = new Set(
  "latin1 latin-1 iso-8859-1 utf8 utf-8 ascii us-ascii".split(" "),
);

/** Types of elements by NumPy's codes, and the names that they have. */
const DTYPE =
  /^[<>|=]?(?:[a-zA-Z?]\d{0,9}(?:\[\d{0,9}[a-zA-Z]{1,2}\])?|(?:bool|object|str|bytes|void|u?int|float|complex|datetime|timedelta)_?\d{0,3}(?:\[[a-zA-Z]{1,2}\])?)$/;

/** Python's own classes, whose constructors take values as they are. */
const BASES: ReadonlySet<string> = new Set(
  "object dict list tuple set frozenset str bytes bytearray int float complex".split(" ")
    .map((name) => `builtins.${name}`),
);

/** Parts of a container that are looked at to tell whether it is plain. */
const MAX_PLAIN_PARTS = 3000;

/** Whether a value is a constant, or a container of constants: without objects, even harmless ones. */
function isPlain(root: PickleValue): boolean {
  const pending = [root];
  let seen = 0;
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (isAtom(value) || isMadeOfBytes(value)) continue;
    if (!isContainer(value) || hasLost(value) || seen > MAX_PLAIN_PARTS) return false;
    seen += value.items.length;
    for (const item of value.items) pending.push(item);
  }
  return true;
}

function isAtom({ kind }: PickleValue): boolean {
  return kind === "text" || kind === "built" || kind === "bytes" || kind === "integer" ||
    kind === "plain";
}

const MAKERS_OF_BYTES: ReadonlySet<string> = new Set(
  ["_codecs.encode", "builtins.bytes", "builtins.bytearray"],
);

function isMadeOfBytes(value: PickleValue): boolean {
  return value.kind === "call" && MAKERS_OF_BYTES.has(importPath(value.callee) ?? "");
}

/** Whether a value is an import that has a finding of its own because it is not allowed. */
function isForeign(value: PickleValue): boolean {
  return value.kind === "import" && value.record.judgment.level !== "allowed";
}

function isClass(value: PickleValue): boolean {
  return value.kind === "import" && (value.record.use?.as ?? "class") === "class";
}

function isMaker(value: PickleValue): boolean {
  if (value.kind !== "import") return false;
  const { use } = value.record;
  return isForeign(value) || use?.as === "function" && use.call !== undefined;
}

function isCallable(value: PickleValue): boolean {
  return value.kind === "import" || value.kind === "call" && makesCallable(value);
}

function rootOf(path: string): string {
  const [root = ""] = path.split(".", 1);
  return root;
}

function describe(value: PickleValue): string {
  switch (value.kind) {
    case "text":
    case "built":
      return "a text";
    case "bytes":
      return "bytes";
    case "integer":
    case "plain":
      return "a number";
    case "call":
      return `an object of ${importPath(value.callee) ?? "another call"}`;
    case "persistent":
    case "unknown":
      return "an object of unknown origin";
    case "import":
      return value.record.path;
    default:
      return `a ${value.kind}`;
  }
}
