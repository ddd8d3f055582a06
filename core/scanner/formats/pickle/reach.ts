import type { ImportRecord } from "./findings.ts";
import { makesCallable, partsOfObject } from "./objects.ts";
import { hasLost, INERT, isStored, levelOf, levelOfAll, STORED } from "./traits.ts";
import { type Call, type Container, hasParts, type PickleValue } from "./values.ts";

/** What can be reached in values that a call gets. */
export interface Reached {
  /** The first allowed class or function, or maker of one. */
  readonly callable?: string;
  /** What no call may get: a class whose constructor does harm, or what cannot be followed. */
  readonly suspect?: string;
}

/** Values of one pickle that are visited. Those of real files need a few for each call. */
const MAX_VISITS = 1_000_000;

/** Parts of values that are looked at one by one, which a pickle may have looked at many times. */
const MAX_PARTS = 20_000_000;

const NOTHING: Reached = {};
const ORIGIN = "an object of unknown origin";
const TOO_MANY = "more objects than can be followed";

/** Finds what a call could call in the values that it gets. */
export class Reach {
  /** Whether a value was given something that can be called after another value held it. */
  #isLate = false;
  #visits = MAX_VISITS;
  #parts = MAX_PARTS;

  /** Notes that the levels of the values that hold a changed one are no longer right. */
  changeLate(): void {
    this.#isLate = true;
  }

  /** Whether so many parts of a value may be looked at. Real files stay far below the limit. */
  spend(parts: number): boolean {
    this.#parts -= parts;
    return this.#parts >= 0;
  }

  /** As {@link search}, of one value. */
  searchOne(value: PickleValue, visit: (record: ImportRecord) => void): Reached {
    if (value.kind !== "import") {
      return !this.#isLate && levelOf(value) === INERT ? NOTHING : this.search([value], visit);
    }
    visit(value.record);
    const found = {};
    addImport(found, value.record);
    return found;
  }

  /**
   * Looks through values, and calls `visit` with each import in them.
   *
   * Levels answer for most values; only those that hold something are followed. Linear in their parts,
   * and in all limited to {@link MAX_VISITS}.
   */
  search(values: readonly PickleValue[], visit: (record: ImportRecord) => void): Reached {
    if (!this.#isLate && levelOfAll(values) === INERT) return NOTHING;
    const found: { callable?: string; suspect?: string } = {};
    const seen = new Set<PickleValue>();
    const pending = values.toReversed();
    for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
      if (this.#visits-- <= 0) {
        found.suspect ??= TOO_MANY;
        break;
      }
      if (value.kind === "unknown") found.suspect ??= ORIGIN;
      if (value.kind === "import") {
        visit(value.record);
        addImport(found, value.record);
      }
      if (!hasParts(value) || seen.has(value)) continue;
      if (!this.#isLate && levelOf(value) === INERT) continue;
      seen.add(value);
      if (this.#isLate && hasLost(value)) {
        found.suspect ??= TOO_MANY;
      }
      if (value.kind === "call" && makesCallable(value)) found.callable ??= pathOf(value);
      pushParts(pending, value);
    }
    return found;
  }
}

/**
 * Marks the imports in what becomes a part of an object as stored: the object may call them later, as
 * `FunctionTransformer` calls its function and a module of PyTorch its hooks. Linear in all.
 *
 * @returns what no object should hold, if there is anything.
 */
export function store(values: readonly PickleValue[]): string | undefined {
  const found: { callable?: string; suspect?: string } = {};
  const pending = [...values];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (value.kind === "unknown") found.suspect ??= ORIGIN;
    if (value.kind === "import") {
      value.record.stored = true;
      addImport(found, value.record);
    }
    if (!hasParts(value) || isStored(value) || levelOf(value) === INERT) continue;
    value.traits |= STORED;
    pushParts(pending, value);
  }
  return found.suspect;
}

function addImport(
  found: { callable?: string; suspect?: string },
  { use, path, judgment }: ImportRecord,
): void {
  // What is not allowed has a finding of its own once it is called.
  if (judgment.level !== "allowed" || use?.as === "constant") return;
  if (use?.harmful) found.suspect ??= path;
  else found.callable ??= path;
}

function pathOf({ callee }: Call): string {
  return callee.kind === "import" ? callee.record.path : "";
}

function pushParts(pending: PickleValue[], value: Container | Call): void {
  for (const part of value.kind === "call" ? partsOfObject(value) : value.items) pending.push(part);
}
