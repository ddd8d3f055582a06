import { distantEntry } from "./exhaustion.ts";
import type { Machine } from "./machine.ts";
import { MAX_PROTOCOL, type OpcodeName, OPCODES } from "./opcodes.ts";
import type { Instruction } from "./parser.ts";
import { decodeInteger, type TextCodec } from "./literals.ts";
import { torchStorageOf } from "./torch_storage.ts";
import {
  bytesAt,
  integerValue,
  isContainer,
  NONE,
  PERSISTENT,
  type PickleValue,
  PLAIN,
  textAt,
  UNKNOWN,
} from "./values.ts";

type Effect = (machine: Machine, instruction: Instruction) => void;

/** Storages that are recorded. Current models have a few thousand. */
const MAX_STORAGES = 200_000;

/** Longer integers are not evaluated. */
const MAX_INTEGER_BYTES = 32;

const nothing: Effect = () => {};
const plain: Effect = (machine) => machine.push(PLAIN);
const number: Effect = (machine, { number }) => machine.push(integerValue(number));
const remember: Effect = (machine, { number }) => {
  const index = Number(number);
  machine.signal(distantEntry(index, machine.memo.size));
  machine.remember(index);
};
const recall: Effect = (machine, { number }) => machine.recall(Number(number));
const bytes: Effect = (machine, { from, length }) => machine.push(bytesAt(from, length));
const text = (codec: TextCodec): Effect => (machine, { from, length }) =>
  machine.push(textAt(codec, from, length));
const empty = (kind: "tuple" | "list" | "set" | "dict"): Effect => (machine) =>
  machine.pushContainer(kind, []);
const marked = (kind: "tuple" | "list" | "set" | "dict"): Effect => (machine) =>
  machine.pushContainer(kind, machine.popMark());
const extendMarked: Effect = (machine) => machine.extendTop(machine.popMark());

const integer: Effect = (machine, { window, from, length }) =>
  machine.push({
    kind: "integer",
    value: length > MAX_INTEGER_BYTES ? Infinity : decodeInteger(window.bytes(from, length)),
  });

// Literals have no room for more items, unlike arrays that grew.
const single: Effect = (machine) => machine.pushContainer("tuple", [machine.pop()]);
const pair: Effect = (machine) => {
  const second = machine.pop();
  machine.pushContainer("tuple", [machine.pop(), second]);
};
const triple: Effect = (machine) => {
  const third = machine.pop();
  const second = machine.pop();
  machine.pushContainer("tuple", [machine.pop(), second, third]);
};

/** Pops a tuple of arguments, or any container, which the Python unpickler allows. Returns its items. */
function popArguments(machine: Machine): PickleValue[] {
  const value = machine.pop();
  if (value.kind === "call") machine.signal(ODD_ARGUMENTS);
  return isContainer(value) ? value.items : [UNKNOWN];
}

const ODD_ARGUMENTS = {
  name: "Pickle Call",
  severity: "warning",
  ruleCode: "S201",
  message: "The arguments of a call are an object instead of a tuple",
  why: "The unpickler in Python takes all its items, which may never end, before it calls anything",
} as const;

const reduce: Effect = (machine) => {
  const args = popArguments(machine);
  machine.push(machine.call(machine.pop(), args));
};

const reduceWithKeywords: Effect = (machine) => {
  const keywords = popArguments(machine);
  const args = popArguments(machine);
  machine.push(machine.call(machine.pop(), args, keywords));
};

const object: Effect = (machine) => {
  const [callee, ...args] = machine.popMark();
  if (callee === undefined) machine.fault ??= "stack_underflow";
  else machine.push(machine.call(callee, args));
};

const extension: Effect = (machine, { number }) => {
  machine.signal({
    name: "Pickle Import",
    severity: "critical",
    ruleCode: "S211",
    message: `Imports extension ${number} of the copyreg registry`,
    why: "What the number refers to depends on the process that loads the pickle",
  });
  machine.push(UNKNOWN_EXTENSION);
};

/** Calls of an extension raise no signals: the critical one of its import covers them. */
const UNKNOWN_EXTENSION = PLAIN;

const persistentLine: Effect = (machine) => {
  machine.signal(ODD_PERSISTENT_ID);
  machine.push(PERSISTENT);
};

const persistent: Effect = (machine) => {
  const id = machine.pop();
  const kind = id.kind === "tuple" ? id.items[0] : undefined;
  const first = kind?.kind === "text" ? machine.textOf(kind) : undefined;
  if (first !== "storage" && first !== "module") machine.signal(ODD_PERSISTENT_ID);
  const storage = torchStorageOf(id, machine.textOf);
  if (storage !== undefined && machine.storages.size < MAX_STORAGES) {
    machine.storages.set(storage.key, storage);
  }
  const type = first === "module" && id.kind === "tuple" ? id.items[1] : undefined;
  // The id of a module holds a class and its source; PyTorch returns the class, imported before.
  machine.share(type?.kind === "import" ? type : PERSISTENT);
};

const ODD_PERSISTENT_ID = {
  name: "Pickle Persistent Id",
  severity: "info",
  ruleCode: "S212",
  message: "Requests an object by a persistent id that is not a PyTorch storage id",
} as const;

const protocol: Effect = (machine, { number }) => {
  if (machine.at !== machine.start) {
    machine.signal({
      name: "Pickle Structure",
      severity: "warning",
      ruleCode: "S902",
      message: "The protocol is declared in the middle of the pickle",
      why:
        "Picklers declare it only at the start; here it changes how the names that follow are read",
    });
  }
  if (Number(number) > MAX_PROTOCOL) {
    machine.signal({
      name: "Pickle Structure",
      severity: "info",
      ruleCode: "S902",
      message: `Unknown pickle protocol ${number}`,
      incomplete: "unknown_protocol",
    });
  }
};

/** The effect of each opcode on the stack and the memo. */
const EFFECTS: Readonly<Record<OpcodeName, Effect>> = {
  MARK: (machine) => machine.mark(),
  EMPTY_TUPLE: empty("tuple"),
  STOP: nothing,
  POP: (machine) => {
    if (machine.onMark()) machine.popMark();
    else machine.pop();
  },
  POP_MARK: (machine) => {
    machine.popMark();
  },
  DUP: (machine) => {
    machine.share(machine.top());
  },
  BINBYTES: bytes,
  SHORT_BINBYTES: bytes,
  FLOAT: plain,
  BINFLOAT: plain,
  INT: number,
  BININT: number,
  BININT1: number,
  LONG: number,
  BININT2: number,
  NONE: (machine) => machine.push(NONE),
  PERSID: persistentLine,
  BINPERSID: persistent,
  REDUCE: reduce,
  STRING: text("string_escape"),
  BINSTRING: text("latin1"),
  SHORT_BINSTRING: text("latin1"),
  UNICODE: text("unicode_escape"),
  BINUNICODE: text("utf8"),
  EMPTY_LIST: empty("list"),
  APPEND: (machine) => machine.extendTop([machine.pop()]),
  BUILD: (machine) => machine.build(machine.pop()),
  GLOBAL: (machine, { module, name }) => machine.push(machine.importNames(module, name)),
  DICT: marked("dict"),
  APPENDS: extendMarked,
  GET: recall,
  BINGET: recall,
  INST: (machine, { module, name }) => {
    // The Python unpickler imports before it pops the mark, so a missing mark does not prevent it.
    const callee = machine.importNames(module, name);
    machine.push(machine.call(callee, machine.popMark()));
  },
  LONG_BINGET: recall,
  LIST: marked("list"),
  OBJ: object,
  PUT: remember,
  BINPUT: remember,
  LONG_BINPUT: remember,
  SETITEM: (machine) => {
    const value = machine.pop();
    machine.extendTop([machine.pop(), value]);
  },
  TUPLE: marked("tuple"),
  SETITEMS: extendMarked,
  EMPTY_DICT: empty("dict"),
  PROTO: protocol,
  NEWOBJ: reduce,
  EXT1: extension,
  EXT2: extension,
  EXT4: extension,
  TUPLE1: single,
  TUPLE2: pair,
  TUPLE3: triple,
  NEWTRUE: plain,
  NEWFALSE: plain,
  LONG1: integer,
  LONG4: integer,
  SHORT_BINUNICODE: text("utf8"),
  BINUNICODE8: text("utf8"),
  BINBYTES8: bytes,
  EMPTY_SET: empty("set"),
  ADDITEMS: extendMarked,
  FROZENSET: marked("set"),
  NEWOBJ_EX: reduceWithKeywords,
  STACK_GLOBAL: (machine) => {
    const name = machine.pop();
    machine.push(machine.importValues(machine.pop(), name));
  },
  MEMOIZE: (machine) => machine.remember(machine.memo.size),
  FRAME: nothing,
  BYTEARRAY8: bytes,
  NEXT_BUFFER: plain,
  READONLY_BUFFER: (machine) => {
    machine.top();
  },
};

/** Effects indexed by opcode byte. */
export const EFFECT_BY_BYTE: readonly Effect[] = byByte();

function byByte(): Effect[] {
  const table = new Array<Effect>(256).fill(nothing);
  for (const [byte, name] of OPCODES) table[byte] = EFFECTS[name];
  return table;
}
