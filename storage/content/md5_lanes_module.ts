/**
 * MD5's compression function for four contents at a time, as a WebAssembly module: each step of an MD5 waits for the
 * one before, so that one content leaves a processor idle. With vectors of four words, one of each content, four MD5s
 * take a third longer than one.
 *
 * The memory begins with the state, each word of which is a vector. The sines of the steps follow, each as a vector,
 * and then an area for the blocks of each content. The function `run(end)` of the module updates the states with the
 * blocks of each content up to `end` of the first.
 */

import { AREA_BYTES, BLOCK_BYTES, STATE, stepAt, STEPS } from "./md5_module.ts";
import {
  blockLoop,
  type Code,
  constant,
  get,
  I32,
  loadVector,
  moduleOf,
  set,
  storeVector,
  V128,
  vectorOp,
} from "../../core/wasm_code.ts";

/** So many MD5s are computed at the same time. */
export const LANES = 4;
const VECTOR_BYTES = 16;
const SINES = STATE.length * VECTOR_BYTES;
const FIRST_AREA = SINES + STEPS.length * VECTOR_BYTES;
/** The areas, and what is before them. */
const PAGES = LANES + 1;

/** The locals of the function: its parameter, and what follows. */
const END = 0;
const POSITION = 1;
/** The words of the working state, those of the state before the block, those of the block, and others. */
const working = (word: number) => 2 + word;
const before = (word: number) => working(word) + STATE.length;
const ofBlock = (word: number) => before(0) + STATE.length + word;
const temporary = (index: number) => ofBlock(16) + index;
const VECTORS = temporary(LANES) - working(0);

/** What a round adds for the state b, c, d. */
const MIXERS: readonly ((b: Code, c: Code, d: Code) => Code)[] = [
  (b, c, d) => [...c, ...d, ...b, ...vectorOp("select")],
  (b, c, d) => [...b, ...c, ...d, ...vectorOp("select")],
  (b, c, d) => [...b, ...c, ...d, ...vectorOp("xor"), ...vectorOp("xor")],
  (b, c, d) => [...c, ...b, ...d, ...vectorOp("not"), ...vectorOp("or"), ...vectorOp("xor")],
];

/** Where the blocks of a content are. */
export function areaOf(lane: number): number {
  return FIRST_AREA + lane * AREA_BYTES;
}

/** The sines of all steps, as the memory has them. */
export function sineVectors(): { readonly words: Uint32Array; readonly position: number } {
  const words = Uint32Array.from(STEPS.flatMap((at) => Array(LANES).fill(stepAt(at).sine)));
  return { words, position: SINES };
}

/** The bytes of the module. */
export function md5LanesModule(): Uint8Array<ArrayBuffer> {
  return moduleOf({
    pages: PAGES,
    locals: [[1, I32], [VECTORS, V128]],
    body: blockLoop({ end: END, position: POSITION, start: FIRST_AREA, bytes: BLOCK_BYTES }, {
      first: STATE.flatMap((word) => [
        ...loadVector(constant(0), VECTOR_BYTES * word),
        ...set(before(word)),
      ]),
      block: [
        ...[0, 4, 8, 12].flatMap(wordsOfBlock),
        ...STATE.flatMap((word) => [...get(before(word)), ...set(working(word))]),
        ...STEPS.flatMap(step),
        ...STATE.flatMap((word) => [
          ...get(before(word)),
          ...get(working(word)),
          ...vectorOp("add"),
          ...set(before(word)),
        ]),
      ],
      last: STATE.flatMap((word) =>
        storeVector(constant(0), VECTOR_BYTES * word, get(before(word)))
      ),
    }),
  });
}

/** Loads four words of each content from a word on, and makes a vector of each word of all. */
function wordsOfBlock(from: number): Code {
  const [low, high] = [[0, 4, 1, 5], [2, 6, 3, 7]] as const;
  const [lowPair, highPair] = [[0, 1, 4, 5], [2, 3, 6, 7]] as const;
  const block = [0, 1, 2, 3].map((index) => ofBlock(from + index));
  const loaded = block.map((_, lane) => temporary(lane));
  return [
    ...loaded.flatMap((local, lane) => [
      ...loadVector(get(POSITION), lane * AREA_BYTES + 4 * from),
      ...set(local),
    ]),
    ...shuffled(block, loaded, [[0, 1, low], [2, 3, low], [0, 1, high], [2, 3, high]]),
    ...block.flatMap((local, index) => [...get(local), ...set(loaded[index] ?? 0)]),
    ...shuffled(block, loaded, [
      [0, 1, lowPair],
      [0, 1, highPair],
      [2, 3, lowPair],
      [2, 3, highPair],
    ]),
  ];
}

/** Sets each target to words of two sources, by the indexes of those. */
function shuffled(
  targets: readonly number[],
  sources: readonly number[],
  choices: readonly (readonly [first: number, second: number, words: readonly number[]])[],
): Code {
  return choices.flatMap(([first, second, words], index) => [
    ...get(sources[first] ?? 0),
    ...get(sources[second] ?? 0),
    ...vectorOp("shuffle", ...words.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte))),
    ...set(targets[index] ?? 0),
  ]);
}

function step(at: number): Code {
  const { round, word, rotation, roles } = stepAt(at);
  const [a, b, c, d] = roles.map(working).map(get) as [Code, Code, Code, Code];
  const sum = temporary(0);
  return [
    ...a,
    ...loadVector(constant(0), SINES + VECTOR_BYTES * at),
    ...vectorOp("add"),
    ...get(ofBlock(word)),
    ...vectorOp("add"),
    ...MIXERS[round]?.(b, c, d) ?? [],
    ...vectorOp("add"),
    ...set(sum),
    ...get(sum),
    ...constant(rotation),
    ...vectorOp("shiftLeft"),
    ...get(sum),
    ...constant(32 - rotation),
    ...vectorOp("shiftRight"),
    ...vectorOp("or"),
    ...b,
    ...vectorOp("add"),
    ...set(working(roles[0])),
  ];
}
