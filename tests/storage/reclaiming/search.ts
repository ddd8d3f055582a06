/** A step of a model: what happened, and to whom. */
export interface Step {
  readonly name: string;
  /**
   * Whether it happens by itself: servers end what they began and do their periodic work, requests that
   * were sent arrive or get lost. Otherwise it is a new request, or a fault.
   */
  readonly byItself: boolean;
}

/** A system whose states are enumerated. */
export interface Model<State> {
  readonly initial: State;
  /** The same text for states that differ only in names that do not matter. */
  encode(state: State): string;
  /** Emits what can happen next. */
  steps(state: State, emit: (step: Step, next: State) => void): void;
  /** What must never be true, or undefined. */
  violation(state: State): string | undefined;
  /** What no step could ever clean up, or undefined. */
  leak(state: State): string | undefined;
  /** Whether nothing is left that only takes up space. */
  isClean(state: State): boolean;
  describe(state: State): string;
}

export interface Exploration {
  readonly states: number;
  /** The first violation found, with a shortest way to it. */
  readonly violation: { readonly property: string; readonly trace: readonly string[] } | undefined;
}

export interface ExploreOptions {
  /** More states than this are an error: the search would not have been exhaustive. */
  readonly maxStates: number;
  /** Whether each state must have a way to a clean one by steps that happen by themselves. @default true */
  readonly cleanable?: boolean;
}

/**
 * Visits all states of a model, nearest first. Looks for a violation in each, and then for states from
 * which no clean state is reached by steps that happen by themselves.
 */
export function explore<State>(model: Model<State>, options: ExploreOptions): Exploration {
  const search = new Search(model, options);
  const bad = search.run();
  return { states: search.size, violation: bad };
}

class Search<State> {
  readonly #model: Model<State>;
  readonly #options: ExploreOptions;
  readonly #numbers = new Map<string, number>();
  /** States that wait for their visit; visited ones are forgotten. */
  readonly #waiting: State[] = [];
  readonly #clean: number[] = [];
  readonly #parents: number[] = [];
  /** Steps that happen by themselves: pairs of the numbers of two states. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  constructor(model: Model<State>, options: ExploreOptions) {
    this.#model = model;
    this.#options = options;
  }

  get size(): number {
    return this.#parents.length;
  }

  run(): Exploration["violation"] {
    const { cleanable = true } = this.#options;
    this.#add(this.#model.initial, -1);
    for (let number = 0; number < this.size; number++) {
      const state = this.#waiting[number]!;
      delete this.#waiting[number];
      const leak = cleanable ? this.#model.leak(state) : undefined;
      const property = this.#model.violation(state) ?? leak;
      if (property !== undefined) return { property, trace: this.#trace(number) };
      if (this.#model.isClean(state)) this.#clean.push(number);
      this.#model.steps(state, ({ byItself }, next) => {
        const reached = this.#add(next, number);
        if (!byItself) return;
        this.#from.push(number);
        this.#to.push(reached);
      });
    }
    if (!cleanable) return undefined;
    const stuck = this.#cannotBeCleaned();
    if (stuck === undefined) return undefined;
    return { property: "garbage stays for ever", trace: this.#trace(stuck) };
  }

  #add(state: State, parent: number): number {
    const text = this.#model.encode(state);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.size;
    if (number >= this.#options.maxStates) throw new Error(`more than ${number} states`);
    this.#numbers.set(text, number);
    this.#waiting.push(state);
    this.#parents.push(parent);
    return number;
  }

  /** The first state from which no clean one is reached: all that reach one are found backwards. */
  #cannotBeCleaned(): number | undefined {
    const { size } = this;
    const starts = new Uint32Array(size + 1);
    for (const to of this.#to) starts[to + 1]!++;
    for (let i = 0; i < size; i++) starts[i + 1]! += starts[i]!;
    const before = new Uint32Array(this.#to.length);
    const free = starts.slice();
    this.#to.forEach((to, i) => before[free[to]!++] = this.#from[i]!);
    const reaches = new Uint8Array(size);
    for (const number of this.#clean) reaches[number] = 1;
    const queue = [...this.#clean];
    for (let number = queue.pop(); number !== undefined; number = queue.pop()) {
      for (let i = starts[number]!; i < starts[number + 1]!; i++) {
        const earlier = before[i]!;
        if (reaches[earlier] === 1) continue;
        reaches[earlier] = 1;
        queue.push(earlier);
      }
    }
    const stuck = reaches.indexOf(0);
    return stuck === -1 ? undefined : stuck;
  }

  /** The steps to a state, taken once more, so that names stay the same all the way. */
  #trace(number: number): string[] {
    const way: number[] = [];
    for (let at = number; at > 0; at = this.#parents[at]!) way.unshift(at);
    let state = this.#model.initial;
    return way.map((wanted, i) => {
      let taken: { readonly name: string; readonly next: State } | undefined;
      this.#model.steps(state, ({ name }, next) => {
        if (this.#numbers.get(this.#model.encode(next)) === wanted) taken ??= { name, next };
      });
      if (taken === undefined) throw new Error("steps differ between states that encode alike");
      state = taken.next;
      return `${i + 1}. ${taken.name}: ${this.#model.describe(state)}`;
    });
  }
}
