/**
 * MD5's compression function (RFC 1321) as a WebAssembly module, assembled here: it takes less time
 * than `node:crypto`, whose implementation in the runtime is not optimized for MD5.
 *
 * The module exports `memory`, with the state in its first 16 bytes, and `blocks(start, end)`, which
 * updates the state with the blocks of 64 bytes from `start` up to `end`.
 */

const PAGES = 2;
const I32 = 0x7f;
/** Opcodes (WebAssembly 1.0, 5.4). */
const OP = {
  loop: 0x03,
  end: 0x0b,
  brIf: 0x0d,
  localGet: 0x20,
  localSet: 0x21,
  load: 0x28,
  store: 0x36,
  constant: 0x41,
  lessUnsigned: 0x49,
  add: 0x6a,
  and: 0x71,
  or: 0x72,
  xor: 0x73,
  rotateLeft: 0x77,
} as const;

/** The locals of `blocks`: its parameters, the working state and the state before the block. */
const POSITION = 0;
const END = 1;
const WORKING = [2, 3, 4, 5] as const;
const BEFORE = [6, 7, 8, 9] as const;

const ROTATIONS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]] as const;
/** Which word of the block a step of each round takes. */
const WORDS = [
  (step: number) => step,
  (step: number) => (5 * step + 1) % 16,
  (step: number) => (3 * step + 5) % 16,
  (step: number) => (7 * step) % 16,
] as const;

type Code = readonly number[];

const get = (local: number): Code => [OP.localGet, local];
const constant = (value: number): Code => [OP.constant, ...signed(value)];
const not = (value: Code): Code => [...value, ...constant(-1), OP.xor];
/** Loads the word at an address; `offset` is a multiple of 4. */
const load = (address: Code, offset: number): Code => [...address, OP.load, 2, ...unsigned(offset)];

/** What a round adds for the state b, c, d. */
const MIXERS: readonly ((b: Code, c: Code, d: Code) => Code)[] = [
  (b, c, d) => [...d, ...b, ...c, ...d, OP.xor, OP.and, OP.xor],
  // The two terms have no bit in common, so adding them is the same as OR, and adds up sooner.
  (b, c, d) => [...not(d), ...c, OP.and, ...b, ...d, OP.and, OP.add],
  (b, c, d) => [...b, ...c, ...d, OP.xor, OP.xor],
  (b, c, d) => [...c, ...b, ...not(d), OP.or, OP.xor],
];

/** The bytes of the module. */
export function md5Module(): Uint8Array<ArrayBuffer> {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, 2, I32, I32, 0]])),
    ...section(3, vector([[0]])),
    ...section(5, vector([[0, PAGES]])),
    ...section(7, vector([exported("memory", 2), exported("blocks", 0)])),
    ...section(10, vector([withLength([...vector([[8, I32]]), ...body(), OP.end])])),
  ]);
}

function body(): Code {
  const states = [0, 1, 2, 3] as const;
  return [
    ...states.flatMap((it) => [...load(constant(0), 4 * it), OP.localSet, BEFORE[it]]),
    ...[OP.loop, 0x40],
    ...states.flatMap((it) => [...get(BEFORE[it]), OP.localSet, WORKING[it]]),
    ...Array.from({ length: 64 }, (_, at) => step(at)).flat(),
    ...states.flatMap((it) => [
      ...get(BEFORE[it]),
      ...get(WORKING[it]),
      OP.add,
      OP.localSet,
      BEFORE[it],
    ]),
    ...get(POSITION),
    ...constant(64),
    OP.add,
    ...[OP.localSet, POSITION],
    ...get(POSITION),
    ...get(END),
    OP.lessUnsigned,
    ...[OP.brIf, 0, OP.end],
    ...states.flatMap((it) => [...constant(0), ...get(BEFORE[it]), OP.store, 2, 4 * it]),
  ];
}

/** a = b + rotate(a + mix(b, c, d) + word + constant); the roles of the four locals rotate. */
function step(at: number): Code {
  const round = at >> 4;
  const [a, b, c, d] = [0, 1, 2, 3].map((role) => WORKING[(64 + role - at) & 3] ?? 0) as [
    number,
    number,
    number,
    number,
  ];
  const word = WORDS[round]?.(at) ?? 0;
  const sine = Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32) | 0;
  return [
    ...get(b),
    ...get(a),
    ...constant(sine),
    OP.add,
    ...load(get(POSITION), 4 * word),
    OP.add,
    ...MIXERS[round]?.(get(b), get(c), get(d)) ?? [],
    OP.add,
    ...constant(ROTATIONS[round]?.[at & 3] ?? 0),
    OP.rotateLeft,
    OP.add,
    ...[OP.localSet, a],
  ];
}

function section(id: number, content: Code): Code {
  return [id, ...withLength(content)];
}

function withLength(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

function vector(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function exported(name: string, kind: number): Code {
  return [...withLength([...new TextEncoder().encode(name)]), kind, 0];
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
