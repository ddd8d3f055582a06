/**
 * MD5's compression function (RFC 1321) as a WebAssembly module, assembled here: it takes less time
 * than `node:crypto`, whose implementation in the runtime is not optimized for MD5.
 *
 * The state is at the start of the memory, and blocks of 64 bytes from {@link START} on. The function `run(end)` of the
 * module updates the state with those up to `end`.
 */

import {
  blockLoop,
  type Code,
  constant,
  get,
  I32,
  load,
  moduleOf,
  OP,
  set,
  store,
} from "../../core/wasm_code.ts";

/** How many bytes are added at a time. */
export const AREA_BYTES = 64 * 1024;
export const BLOCK_BYTES = 64;
/** The blocks follow the state, at a multiple of the size of one. */
export const START = BLOCK_BYTES;
/** The state has four words. */
export const STATE = [0, 1, 2, 3] as const;
/** A block has 64 steps, 16 in each round. */
export const STEPS = Array.from({ length: 64 }, (_, at) => at);

const ROTATIONS = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]] as const;
/** Which word of the block a step of each round takes. */
const WORDS = [
  (step: number) => step,
  (step: number) => (5 * step + 1) % 16,
  (step: number) => (3 * step + 5) % 16,
  (step: number) => (7 * step) % 16,
] as const;

/** What a step does: a = b + rotate(a + mix(b, c, d) + word + sine). */
export interface Step {
  /** From 0 on. It says how to mix. */
  readonly round: number;
  /** Which word of the block is added. */
  readonly word: number;
  readonly sine: number;
  readonly rotation: number;
  /** Which words of the state have the roles a, b, c, d, which rotate. */
  readonly roles: readonly [a: number, b: number, c: number, d: number];
}

/** What the step at a position in {@link STEPS} does. */
export function stepAt(at: number): Step {
  const round = at >> 4;
  const role = (index: number) => (64 + index - at) & 3;
  return {
    round,
    word: WORDS[round]?.(at) ?? 0,
    sine: Math.floor(Math.abs(Math.sin(at + 1)) * 2 ** 32) | 0,
    rotation: ROTATIONS[round]?.[at & 3] ?? 0,
    roles: [role(0), role(1), role(2), role(3)],
  };
}

/** The locals of the function: its parameter, and what follows. */
const END = 0;
const POSITION = 1;
/** The words of the working state, and those of the state before the block. */
const working = (word: number) => 2 + word;
const before = (word: number) => working(word) + STATE.length;
const LOCALS = 1 + 2 * STATE.length;

const not = (value: Code): Code => [...value, ...constant(-1), OP.xor];

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
  return moduleOf({
    pages: 2,
    locals: [[LOCALS, I32]],
    body: blockLoop({ end: END, position: POSITION, start: START, bytes: BLOCK_BYTES }, {
      first: STATE.flatMap((word) => [...load(constant(0), 4 * word), ...set(before(word))]),
      block: [
        ...STATE.flatMap((word) => [...get(before(word)), ...set(working(word))]),
        ...STEPS.flatMap(step),
        ...STATE.flatMap((word) => [
          ...get(before(word)),
          ...get(working(word)),
          OP.add,
          ...set(before(word)),
        ]),
      ],
      last: STATE.flatMap((word) => store(constant(0), 4 * word, get(before(word)))),
    }),
  });
}

function step(at: number): Code {
  const { round, word, sine, rotation, roles } = stepAt(at);
  const [a, b, c, d] = roles.map(working).map(get) as [Code, Code, Code, Code];
  return [
    ...b,
    ...a,
    ...constant(sine),
    OP.add,
    ...load(get(POSITION), 4 * word),
    OP.add,
    ...MIXERS[round]?.(b, c, d) ?? [],
    OP.add,
    ...constant(rotation),
    OP.rotateLeft,
    OP.add,
    ...set(working(roles[0])),
  ];
}
