import type { Machine } from "./machine.ts";
import { type OpcodeName, OPCODES } from "./opcodes.ts";
import type { Instruction } from "./parser.ts";
import { integerOf } from "./number_text.ts";
import { torchStorageOf } from "./torch_storage.ts";
import {
  isContainer,
  NONE,
  PERSISTENT,
  type PickleValue,
  PLAIN,
  type TextForm,
  UNKNOWN_VALUE,
} from "./values.ts";

type Effect = (machine: Machine, instruction: Instruction) => void;

/** Storages that are kept account of: models of today have some thousands. */
const MAX_STORAGES = 200_000;

/** Integers that are longer are of unknown value. */
const MAX_INTEGER_BYTES = 32;

const nothing: Effect = () => {};
const plain: Effect = (machine) => machine.push(PLAIN);
const number: Effect = (machine, { number }) => machine.push({ kind: "integer", value: number });
const remember: Effect = (machine, { number }) => machine.memo.set(Number(number), machine.top());
const recall: Effect = (machine, { number }) => machine.recall(Number(number));
const bytes: Effect = (machine, { from, length }) => machine.push({ kind: "bytes", from, length });
const text = (form: TextForm): Effect => (machine, { from, length }) =>
  machine.push({ kind: "text", form, from, length });
const empty = (kind: "tuple" | "list" | "set" | "dict"): Effect => (machine) =>
  machine.collect(kind, []);
const marked = (kind: "tuple" | "list" | "set" | "dict"): Effect => (machine) =>
  machine.collect(kind, machine.popMark());
const extendMarked: Effect = (machine) => machine.extendTop(machine.popMark());

const integer: Effect = (machine, { window, from, length }) =>
  machine.push({
    kind: "integer",
    value: length > MAX_INTEGER_BYTES ? Infinity : integerOf(window.bytes(from, length)),
  });

const tuple = (length: number): Effect => (machine) => {
  const items: PickleValue[] = [];
  for (let i = 0; i < length; i++) items.unshift(machine.pop());
  machine.collect("tuple", items);
};

/** The items of what is called with: a tuple, or any container as the Python unpickler allows. */
function argumentsOf(value: PickleValue): readonly PickleValue[] {
  return isContainer(value) ? value.items : [UNKNOWN_VALUE];
}

const reduce: Effect = (machine) => {
  const args = argumentsOf(machine.pop());
  machine.push(machine.call(machine.pop(), args));
};

const reduceWithKeywords: Effect = (machine) => {
  const keywords = argumentsOf(machine.pop());
  const args = argumentsOf(machine.pop());
  machine.push(machine.call(machine.pop(), [...args, ...keywords]));
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
    why: "What stands under the number depends on the process that loads the pickle",
  });
  machine.push(UNKNOWN_EXTENSION);
};

/** The finding of its import says all that is to be said of its calls. */
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
  // A class with its source: the loaders of PyTorch return the class, which was imported before.
  machine.share(type?.kind === "import" ? type : PERSISTENT);
};

const ODD_PERSISTENT_ID = {
  name: "Pickle Persistent Id",
  severity: "info",
  ruleCode: "S212",
  message: "Asks the loader for an object by an id that is none of a PyTorch storage",
} as const;

const protocol: Effect = (machine, { number }) => {
  if (machine.at !== machine.start) {
    machine.signal({
      name: "Pickle Structure",
      severity: "warning",
      ruleCode: "S902",
      message: "The protocol is declared in the middle of the pickle",
      why: "No pickler writes it there; it changes how the names that follow are read",
    });
  }
  if (Number(number) > 5) {
    machine.signal({
      name: "Pickle Structure",
      severity: "info",
      ruleCode: "S902",
      message: `Pickle protocol ${number} is not known`,
      incomplete: "unknown_protocol",
    });
  }
};

/** What each instruction does to the stack and the memo. */
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
    // The Python unpickler imports before it looks for the mark.
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
  TUPLE1: tuple(1),
  TUPLE2: tuple(2),
  TUPLE3: tuple(3),
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
  MEMOIZE: (machine) => machine.memo.set(machine.memo.size, machine.top()),
  FRAME: nothing,
  BYTEARRAY8: bytes,
  NEXT_BUFFER: plain,
  READONLY_BUFFER: (machine) => {
    machine.top();
  },
};

/** What the instruction with a byte does. */
export const EFFECT_BY_BYTE: readonly Effect[] = byByte();

function byByte(): Effect[] {
  const table = new Array<Effect>(256).fill(nothing);
  for (const [byte, name] of OPCODES) table[byte] = EFFECTS[name];
  return table;
}
