/** Parts of WebAssembly modules in their binary form (WebAssembly 2.0, 5). */

/** Bytes of a module. */
export type Code = readonly number[];

/** The types of values. */
export const I32 = 0x7f;
export const I64 = 0x7e;
export const V128 = 0x7b;

/** Opcodes of instructions. */
export const OP = {
  loop: 0x03,
  end: 0x0b,
  brIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  load: 0x28,
  loadLong: 0x29,
  store: 0x36,
  storeLong: 0x37,
  constant: 0x41,
  constantLong: 0x42,
  lessUnsigned: 0x49,
  add: 0x6a,
  and: 0x71,
  or: 0x72,
  xor: 0x73,
  rotateLeft: 0x77,
  xorLong: 0x85,
  shiftLeftLong: 0x86,
  shiftRightLong: 0x88,
  lowerHalf: 0xa7,
  vector: 0xfd,
} as const;

/** Instructions on vectors, after the opcode `vector`. */
export const VECTOR_OP = {
  load: 0x00,
  store: 0x0b,
  shuffle: 0x0d,
  not: 0x4d,
  or: 0x50,
  xor: 0x51,
  select: 0x52,
  shiftLeft: 0xab,
  shiftRight: 0xad,
  add: 0xae,
} as const;

export const get = (local: number): Code => [OP.localGet, local];
export const set = (local: number): Code => [OP.localSet, local];
export const constant = (value: number): Code => [OP.constant, ...signed(value)];
/** Loads the word at an address; `offset` is a multiple of 4. */
export const load = (address: Code, offset: number): Code => [
  ...address,
  OP.load,
  2,
  ...unsigned(offset),
];
/** Stores a word. */
export const store = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  OP.store,
  2,
  ...unsigned(offset),
];
/** Loads the two words at an address as one number; `offset` is a multiple of 8. */
export const loadLong = (address: Code, offset: number): Code => [
  ...address,
  OP.loadLong,
  3,
  ...unsigned(offset),
];
/** Stores a number of two words. */
export const storeLong = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  OP.storeLong,
  3,
  ...unsigned(offset),
];
/** A number of two words. */
export const constantLong = (value: number): Code => [OP.constantLong, ...signed(value)];
/** An instruction on vectors, with what follows its opcode. */
export const vectorOp = (op: keyof typeof VECTOR_OP, ...rest: Code): Code => [
  OP.vector,
  ...unsigned(VECTOR_OP[op]),
  ...rest,
];
/** Loads the vector at an address; `offset` is a multiple of 16. */
export const loadVector = (address: Code, offset: number): Code => [
  ...address,
  ...vectorOp("load", 4, ...unsigned(offset)),
];
/** Stores a vector. */
export const storeVector = (address: Code, offset: number, value: Code): Code => [
  ...address,
  ...value,
  ...vectorOp("store", 4, ...unsigned(offset)),
];

/**
 * Code for each block from a position on up to an end, with what comes before and after all. There is at least one block.
 */
export function blockLoop(
  { end, position, start, bytes }: {
    /** The local with the end. */
    readonly end: number;
    /** The local for where a block is. */
    readonly position: number;
    readonly start: number;
    /** The size of a block. */
    readonly bytes: number;
  },
  { first, block, last }: { readonly first: Code; readonly block: Code; readonly last: Code },
): Code {
  return [
    ...constant(start),
    ...set(position),
    ...first,
    ...[OP.loop, 0x40],
    ...block,
    ...get(position),
    ...constant(bytes),
    OP.add,
    ...set(position),
    ...get(position),
    ...get(end),
    OP.lessUnsigned,
    ...[OP.brIf, 0, OP.end],
    ...last,
  ];
}

/** What a module of one function with one number as its parameter has. */
export interface ModuleParts {
  /** How much memory it has, in pages of 64 KiB. */
  readonly pages: number;
  /** The types of the variables besides the parameter, and how many there are of each. */
  readonly locals: readonly (readonly [count: number, type: number])[];
  readonly body: Code;
}

/** The bytes of a module that exports `memory` and its function, as `run`. */
export function moduleOf({ pages, locals, body }: ModuleParts): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list([[0x60, 1, I32, 0]])),
    ...section(3, list([[0]])),
    ...section(5, list([[0, pages]])),
    ...section(7, list([exported("memory", [2, 0]), exported("run", [0, 0])])),
    ...section(10, list([withLength([...list(locals), ...body, OP.end])])),
  ]);
}

/** A module of {@link moduleOf} that runs. */
export interface RunningModule {
  readonly memory: ArrayBufferLike;
  readonly run: (argument: number) => void;
}

/** Starts a module of {@link moduleOf}. */
export function instantiate(module: Uint8Array<ArrayBuffer>): RunningModule {
  const { exports: { memory, run } } = new WebAssembly.Instance(new WebAssembly.Module(module));
  if (!(memory instanceof WebAssembly.Memory)) throw new TypeError("The module has no memory");
  if (typeof run !== "function") throw new TypeError("The module has no function");
  return { memory: memory.buffer, run: (argument) => run(argument) };
}

function section(id: number, content: Code): Code {
  return [id, ...withLength(content)];
}

function withLength(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

/** @param it What is exported: its kind and index. */
function exported(name: string, it: Code): Code {
  return [...withLength([...new TextEncoder().encode(name)]), ...it];
}

/** LEB128 of an unsigned integer. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128 of a signed integer. */
function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
