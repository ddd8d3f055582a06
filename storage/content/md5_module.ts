/**
 * MD5's compression function (RFC 1321) as a WebAssembly module, assembled here: it takes less time
 * than `node:crypto`, whose implementation in the runtime is not optimized for MD5.
 *
 * Each step of an MD5 waits for the one before, so a processor has time for steps of others: the MD5s of
 * two contents take a sixth longer than one, and those of three two fifths. Four at a time come in at a
 * lower rate than three: their states do not fit into the registers.
 *
 * The module exports `memory` and a function `blocksN(end)` for each number N of contents. Their states
 * are at the start of the memory, 16 bytes each, and their blocks of 64 bytes from {@link areaOf} on. The
 * function updates the states with as many bytes of each content as there are up to `end` of the first.
 */

/** So many MD5s can be computed at the same time. */
export const MAX_CONTENTS = 3;
/** How much of each content the memory takes. */
export const AREA_BYTES = 64 * 1024;
const STATE_BYTES = 16;
/** The blocks of the first content follow the states, at a multiple of the size of a block. */
const START = 64;
const PAGES = 4;
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

/** The locals of a function: its parameter, and what follows. */
const END = 0;
const POSITION = 1;
/** For each content four words of the working state, and four of the state before the block. */
const FIRST_WORD = 2;
const WORDS_OF_CONTENT = 8;
const STATE = [0, 1, 2, 3] as const;
const working = (content: number, word: number) => FIRST_WORD + WORDS_OF_CONTENT * content + word;
const before = (content: number, word: number) => working(content, word) + STATE.length;

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
const set = (local: number): Code => [OP.localSet, local];
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

/** Where the blocks of a content are. */
export function areaOf(content: number): number {
  return START + content * AREA_BYTES;
}

/** The bytes of the module. */
export function md5Module(): Uint8Array<ArrayBuffer> {
  const counts = Array.from({ length: MAX_CONTENTS }, (_, index) => index + 1);
  const exports = counts.map((count, index) => exported(`blocks${count}`, [0, index]));
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, 1, I32, 0]])),
    ...section(3, vector(counts.map(() => [0]))),
    ...section(5, vector([[0, PAGES]])),
    ...section(7, vector([exported("memory", [2, 0]), ...exports])),
    ...section(10, vector(counts.map(blocksFunction))),
  ]);
}

/** The code of the function for so many contents. */
function blocksFunction(count: number): Code {
  const locals = vector([[1 + WORDS_OF_CONTENT * count, I32]]);
  return withLength([
    ...locals,
    ...body(Array.from({ length: count }, (_, index) => index)),
    OP.end,
  ]);
}

function body(contents: readonly number[]): Code {
  const eachWord = (code: (content: number, word: number) => Code): Code =>
    contents.flatMap((content) => STATE.flatMap((word) => code(content, word)));
  const address = (content: number, word: number) => STATE_BYTES * content + 4 * word;
  return [
    ...constant(START),
    ...set(POSITION),
    ...eachWord((content, word) => [
      ...load(constant(0), address(content, word)),
      ...set(before(content, word)),
    ]),
    ...[OP.loop, 0x40],
    ...eachWord((content, word) => [...get(before(content, word)), ...set(working(content, word))]),
    ...Array.from({ length: 64 }, (_, at) => contents.flatMap((content) => step(at, content)))
      .flat(),
    ...eachWord((content, word) => [
      ...get(before(content, word)),
      ...get(working(content, word)),
      OP.add,
      ...set(before(content, word)),
    ]),
    ...get(POSITION),
    ...constant(64),
    OP.add,
    ...set(POSITION),
    ...get(POSITION),
    ...get(END),
    OP.lessUnsigned,
    ...[OP.brIf, 0, OP.end],
    ...eachWord((content, word) => [
      ...constant(0),
      ...get(before(content, word)),
      ...[OP.store, 2, ...unsigned(address(content, word))],
    ]),
  ];
}

/** a = b + rotate(a + mix(b, c, d) + word + constant); the roles of the four words rotate. */
function step(at: number, content: number): Code {
  const round = at >> 4;
  const role = (index: number) => working(content, (64 + index - at) & 3);
  const [a, b, c, d] = [role(0), get(role(1)), get(role(2)), get(role(3))];
  const word = WORDS[round]?.(at) ?? 0;
  const sine = Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32) | 0;
  return [
    ...b,
    ...get(a),
    ...constant(sine),
    OP.add,
    ...load(get(POSITION), content * AREA_BYTES + 4 * word),
    OP.add,
    ...MIXERS[round]?.(b, c, d) ?? [],
    OP.add,
    ...constant(ROTATIONS[round]?.[at & 3] ?? 0),
    OP.rotateLeft,
    OP.add,
    ...set(a),
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
