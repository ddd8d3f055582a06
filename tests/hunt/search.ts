import type { Random } from "../support/random.ts";
import type { Fence } from "./fence.ts";
import { Generator } from "./generate.ts";
import { harmsOf, isClean } from "./judge.ts";
import { assemble, partsOf, type Program, replaced, value } from "./programs.ts";

/** A program that does something, in which the scanner finds nothing. */
export interface Hole {
  readonly program: Program;
  readonly harm: string;
  /** Whether it does so alone. If not, it did so once, in a process that had run other programs before. */
  readonly isConfirmed: boolean;
}

export interface Progress {
  programs: number;
  /** Those in which the scanner finds nothing. Only these are run. */
  clean: number;
  /** Distinct things that happened. */
  reached: number;
  holes: number;
  /** Programs that did something after others, and that do not do it alone. */
  unconfirmed: number;
}

const BATCH = 2000;
const MAX_CORPUS = 20_000;
const NONE = value(null);

/** Searches programs of allowed uses for holes, where something new happened rather than elsewhere. */
export class Search {
  readonly progress: Progress = { programs: 0, clean: 0, reached: 0, holes: 0, unconfirmed: 0 };
  readonly #fence: Fence;
  readonly #random: Random;
  readonly #generator: Generator;
  readonly #corpus: Program[] = [];
  readonly #reached = new Set<string>();
  /** The names of each hole that was found. */
  readonly #holes: Set<string>[] = [];

  constructor(
    fence: Fence,
    random: Random,
    keys: ReadonlyMap<string, readonly string[]>,
    lacking: ReadonlySet<string>,
  ) {
    this.#fence = fence;
    this.#random = random;
    this.#generator = new Generator(random, keys, lacking);
  }

  /**
   * Runs a batch of programs while the next one is made. Returns the new holes, as small as they can be, and
   * unconfirmed ones as they are.
   */
  async *run(isDone: () => boolean): AsyncGenerator<Hole, void, void> {
    let batch = this.#batch();
    while (!isDone()) {
      const running = this.#fence.run(batch.map((program) => assemble(program, true)));
      const next = this.#batch();
      const ran = await running;
      for (const [i, program] of batch.entries()) yield* this.#look(program, ran[i] ?? []);
      batch = next;
    }
  }

  #batch(): Program[] {
    const batch: Program[] = [];
    while (batch.length < BATCH) {
      const program = this.#next();
      this.progress.programs++;
      if (!this.#isKnown(program) && isClean(program)) batch.push(program);
    }
    this.progress.clean += batch.length;
    return batch;
  }

  #next(): Program {
    const { length } = this.#corpus;
    if (length < 100 || this.#random(2) === 0) return this.#generator.program();
    const any = () => this.#corpus[this.#random(length)] ?? NONE;
    return this.#generator.mutate(any(), any());
  }

  async *#look(program: Program, notes: readonly string[]): AsyncGenerator<Hole, void, void> {
    let isNew = false;
    for (const note of notes) {
      const feature = note.replaceAll(/\d+|0x[0-9a-f]+/g, "#");
      if (this.#reached.has(feature)) continue;
      this.#reached.add(feature);
      isNew = true;
    }
    this.progress.reached = this.#reached.size;
    const [harm] = harmsOf(notes);
    if (harm === undefined) {
      if (isNew && this.#corpus.length < MAX_CORPUS) this.#corpus.push(program);
      return;
    }
    if (this.#isKnown(program)) return;
    if ((await this.#doing([program], harm)).length === 0) {
      this.progress.unconfirmed++;
      yield { program, harm, isConfirmed: false };
      return;
    }
    const smallest = await this.#smallest(program, harm);
    this.#holes.push(namesOf(smallest));
    this.progress.holes++;
    yield { program: smallest, harm, isConfirmed: true };
  }

  /** Whether a program has all names of a hole that was found: it would do the same. */
  #isKnown(program: Program): boolean {
    const names = namesOf(program);
    return this.#holes.some((hole) => hole.isSubsetOf(names));
  }

  /** The programs that do what a note says, each after those before it. */
  async #doing(programs: readonly Program[], harm: string): Promise<Program[]> {
    if (programs.length === 0) return [];
    const ran = await this.#fence.run(programs.map((program) => assemble(program, true)));
    const does = (notes: readonly string[]) =>
      harmsOf(notes).some((other) => verbOf(other) === verbOf(harm));
    return programs.filter((_, i) => does(ran[i] ?? []));
  }

  /** Leaves out what it can while the program is clean and does the same. */
  async #smallest(program: Program, harm: string): Promise<Program> {
    const smaller = partsOf(program).flatMap((part) => [
      ...[...part.kids, NONE].map((by) => replaced(program, part, by)),
      ...part.kids.map((kid) =>
        replaced(program, part, { ...part, kids: part.kids.filter((other) => other !== kid) })
      ),
    ]).filter((candidate) => sizeOf(candidate) < sizeOf(program) && isClean(candidate));
    const doing = await this.#doing(smaller, harm);
    const [smallest] = doing.sort((a, b) => sizeOf(a) - sizeOf(b));
    return smallest === undefined ? program : await this.#smallest(smallest, harm);
  }
}

const sizeOf = (program: Program) => assemble(program, false).length;
const verbOf = (note: string) => note.split(" ")[0];

const namesOf = (program: Program) =>
  new Set(partsOf(program).flatMap(({ name }) => name?.join(".") ?? []));
