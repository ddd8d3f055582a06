/** How an opcode's argument is encoded. Integers are little-endian. */
export type Argument =
  | "none"
  | "u8"
  | "u16"
  | "i32"
  | "u32"
  | "u64"
  /** Eight bytes, big-endian: a float. */
  | "fixed8"
  /** A length of 1, 4 or 8 bytes, then that many bytes. */
  | "counted1"
  | "counted4"
  | "counted8"
  /** A signed length of 4 bytes, which must not be negative, then that many bytes. */
  | "signed4"
  /** The rest are lines: text up to a line feed. */
  | "line"
  | "quoted"
  | "int"
  | "long"
  | "float"
  | "index"
  /** Two lines, a module and a name. */
  | "names";

/** The opcodes of pickle protocols 0 to 5, as CPython's unpicklers read them. */
export const OPCODES = [
  [0x28, "MARK", "none"],
  [0x29, "EMPTY_TUPLE", "none"],
  [0x2e, "STOP", "none"],
  [0x30, "POP", "none"],
  [0x31, "POP_MARK", "none"],
  [0x32, "DUP", "none"],
  [0x42, "BINBYTES", "counted4"],
  [0x43, "SHORT_BINBYTES", "counted1"],
  [0x46, "FLOAT", "float"],
  [0x47, "BINFLOAT", "fixed8"],
  [0x49, "INT", "int"],
  [0x4a, "BININT", "i32"],
  [0x4b, "BININT1", "u8"],
  [0x4c, "LONG", "long"],
  [0x4d, "BININT2", "u16"],
  [0x4e, "NONE", "none"],
  [0x50, "PERSID", "line"],
  [0x51, "BINPERSID", "none"],
  [0x52, "REDUCE", "none"],
  [0x53, "STRING", "quoted"],
  [0x54, "BINSTRING", "signed4"],
  [0x55, "SHORT_BINSTRING", "counted1"],
  [0x56, "UNICODE", "line"],
  [0x58, "BINUNICODE", "counted4"],
  [0x5d, "EMPTY_LIST", "none"],
  [0x61, "APPEND", "none"],
  [0x62, "BUILD", "none"],
  [0x63, "GLOBAL", "names"],
  [0x64, "DICT", "none"],
  [0x65, "APPENDS", "none"],
  [0x67, "GET", "index"],
  [0x68, "BINGET", "u8"],
  [0x69, "INST", "names"],
  [0x6a, "LONG_BINGET", "u32"],
  [0x6c, "LIST", "none"],
  [0x6f, "OBJ", "none"],
  [0x70, "PUT", "index"],
  [0x71, "BINPUT", "u8"],
  [0x72, "LONG_BINPUT", "u32"],
  [0x73, "SETITEM", "none"],
  [0x74, "TUPLE", "none"],
  [0x75, "SETITEMS", "none"],
  [0x7d, "EMPTY_DICT", "none"],
  [0x80, "PROTO", "u8"],
  [0x81, "NEWOBJ", "none"],
  [0x82, "EXT1", "u8"],
  [0x83, "EXT2", "u16"],
  [0x84, "EXT4", "i32"],
  [0x85, "TUPLE1", "none"],
  [0x86, "TUPLE2", "none"],
  [0x87, "TUPLE3", "none"],
  [0x88, "NEWTRUE", "none"],
  [0x89, "NEWFALSE", "none"],
  [0x8a, "LONG1", "counted1"],
  [0x8b, "LONG4", "signed4"],
  [0x8c, "SHORT_BINUNICODE", "counted1"],
  [0x8d, "BINUNICODE8", "counted8"],
  [0x8e, "BINBYTES8", "counted8"],
  [0x8f, "EMPTY_SET", "none"],
  [0x90, "ADDITEMS", "none"],
  [0x91, "FROZENSET", "none"],
  [0x92, "NEWOBJ_EX", "none"],
  [0x93, "STACK_GLOBAL", "none"],
  [0x94, "MEMOIZE", "none"],
  [0x95, "FRAME", "u64"],
  [0x96, "BYTEARRAY8", "counted8"],
  [0x97, "NEXT_BUFFER", "none"],
  [0x98, "READONLY_BUFFER", "none"],
] as const satisfies readonly (readonly [number, string, Argument])[];

export type OpcodeName = (typeof OPCODES)[number][1];

export interface Opcode {
  readonly byte: number;
  readonly name: OpcodeName;
  readonly argument: Argument;
}

/** The byte of PROTO, with which a stream declares its protocol. */
export const PROTO = 0x80;

/** Highest protocol that is known. */
export const MAX_PROTOCOL = 5;

/** Opcodes indexed by byte; undefined for bytes that are not opcodes. */
export const OPCODE_BY_BYTE: readonly (Opcode | undefined)[] = byByte();

function byByte(): (Opcode | undefined)[] {
  const table = new Array<Opcode | undefined>(256).fill(undefined);
  for (const [byte, name, argument] of OPCODES) table[byte] = { byte, name, argument };
  return table;
}
