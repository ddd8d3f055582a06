import { memorySource } from "../../core/scanner/contract/source.ts";
import { looksLikePickle } from "../../core/scanner/formats/pickle/detect.ts";
import { ALLOWED_USES } from "../../core/scanner/knowledge/python/allowed_names.ts";
import { concatBytes } from "../../core/scanner/readers/bytes/bytes.ts";
import { assemble } from "../core/scanner/formats/pickle/assembler.ts";
import { CRITICAL, WARNED } from "../core/scanner/formats/pickle/hostile_pickles.ts";
import { HOSTILE_USES } from "../core/scanner/formats/pickle/hostile_uses.ts";
import { ORDINARY } from "../core/scanner/formats/pickle/ordinary_pickles.ts";
import { wholeScan } from "../core/scanner/whole_scan.ts";
import { FIXTURES } from "../fixtures/fixtures.ts";
import { ROOT } from "../support/child_server.ts";
import type { Random } from "../support/random.ts";
import { run } from "../support/tools.ts";
import type { Fence } from "./fence.ts";
import { instructionsOf, Mutator } from "./mutate.ts";

/** A pickle that ran something, and that the scanner did not flag. */
export interface Miss {
  readonly pickle: Uint8Array;
  /** What it ran. */
  readonly ran: string;
  /** Whether it runs that alone. If not, it did so once, in a process that had loaded others before. */
  readonly isConfirmed: boolean;
}

const BATCH = 250;
const MAX_SEED_BYTES = 4096;
/** Misses that do the same and are made smaller. Further ones have the same cause most of the time. */
const MAX_ALIKE = 3;
/** Names of files that all loaders open, for one of which content alone decides what is scanned. */
const NAMES = ["model.pkl", "model.bin"];
/** Notes of what libraries do while they load, without a text of the file. */
const ORDINARY_NOTES = /^(?:gc\.|sys\.|waits$)/;

/** What a pickle ran: what the fence noted. */
export function ranBy(notes: readonly string[]): string[] {
  return notes.slice(0, -1).filter((note) => !ORDINARY_NOTES.test(note));
}

/** What takes memory or time runs nothing. A file that is cut off does, too, and is not clean then. */
const EXHAUSTING = /^(?:memory|hangs)$/;

/** Whether the scanner says at least a warning under all names, so that the command line ends with 1. */
function isFlagged(pickle: Uint8Array, ran: string): boolean {
  return NAMES.every((name) => {
    const { findings, verdict } = wholeScan(name, pickle);
    return findings.length > 0 || EXHAUSTING.test(ran) && verdict !== "clean";
  });
}

/** Pickles to mutate: those of the tests, ordinary and hostile, and those that a Python's packages write. */
export async function seedPickles(python: string): Promise<Uint8Array[]> {
  const uses = HOSTILE_USES.flatMap(({ term, since = 0 }) =>
    [0, 2, 4].map((protocol) => assemble(term, { protocol: Math.max(protocol, since), memo: true }))
  );
  const files = FIXTURES.filter(({ path }) => /\.(?:pkl|joblib|p|pickle)$/.test(path))
    .map(({ path }) => Deno.readFileSync(`${ROOT}tests/fixtures/models/${path}`));
  const { code, stdout, stderr } = await run(python, [`${import.meta.dirname}/ordinary.py`]);
  if (code !== 0) throw new Error(stderr);
  const written = stdout.trim().split("\n").map((line) => Uint8Array.fromBase64(line));
  return [
    ...uses,
    ...CRITICAL.map(({ content }) => content),
    ...[...WARNED, ...ORDINARY].map(([, content]) => content),
    ...files,
    ...written,
  ].filter((content) => content.length < MAX_SEED_BYTES && looksLikePickle(memorySource(content)));
}

/** Loads mutations of pickles in a Python, and compares what they ran with what the scanner says. */
export class Mutations {
  /** `unconfirmed`: those that do nothing if they are loaded alone, in a process that loaded no other. */
  readonly progress = { mutations: 0, ran: 0, missed: 0, unconfirmed: 0 };
  /** How many ran each thing. */
  readonly seen = new Map<string, number>();
  readonly #fence: Fence;
  readonly #mutator: Mutator;
  readonly #alike = new Map<string, number>();

  constructor(fence: Fence, random: Random, seeds: readonly Uint8Array[]) {
    this.#fence = fence;
    this.#mutator = new Mutator(random, seeds, [...ALLOWED_USES.keys()]);
  }

  /** Runs mutations. Returns those that were missed, as small as they can be, and unconfirmed ones as they are. */
  async *run(count: number): AsyncGenerator<Miss, void, void> {
    const make = () => Array.from({ length: BATCH }, () => this.#mutator.next());
    let batch = make();
    while (this.progress.mutations < count) {
      const running = this.#fence.run(batch);
      const next = make();
      const notes = await running;
      for (const [index, pickle] of batch.entries()) {
        const [ran] = ranBy(notes[index] ?? []);
        if (ran !== undefined) yield* this.#judge(pickle, ran);
      }
      this.progress.mutations += batch.length;
      batch = next;
    }
  }

  async *#judge(pickle: Uint8Array, ran: string): AsyncGenerator<Miss, void, void> {
    this.progress.ran++;
    this.seen.set(ran, (this.seen.get(ran) ?? 0) + 1);
    if (isFlagged(pickle, ran)) return;
    if ((await this.#running([pickle], ran)).length === 0) {
      this.progress.unconfirmed++;
      yield { pickle, ran, isConfirmed: false };
      return;
    }
    this.progress.missed++;
    const alike = this.#alike.get(ran) ?? 0;
    this.#alike.set(ran, alike + 1);
    if (alike >= MAX_ALIKE) return;
    // Each try would take as long again.
    const smallest = EXHAUSTING.test(ran) ? pickle : await this.#smallest(pickle, ran);
    yield { pickle: smallest, ran, isConfirmed: true };
  }

  /** The pickles that run the same, each in a process of its own. */
  async #running(pickles: readonly Uint8Array[], ran: string): Promise<Uint8Array[]> {
    const running: Uint8Array[] = [];
    for (const pickle of pickles) {
      const [notes = []] = await this.#fence.run([pickle]);
      if (ranBy(notes).some((note) => verbOf(note) === verbOf(ran))) running.push(pickle);
    }
    return running;
  }

  /** Leaves out instructions while the pickle runs the same and is not flagged. */
  async #smallest(pickle: Uint8Array, ran: string): Promise<Uint8Array> {
    const parts = instructionsOf(pickle);
    const smaller = parts.map((_, at) => concatBytes(parts.toSpliced(at, 1)))
      .filter((candidate) => !isFlagged(candidate, ran));
    for (const candidate of smaller) {
      if ((await this.#running([candidate], ran)).length > 0) {
        return await this.#smallest(candidate, ran);
      }
    }
    return pickle;
  }
}

const verbOf = (note: string) => note.split(" ")[0];
