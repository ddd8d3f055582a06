/**
 * How many ways a backtracking matcher can take through a regular expression from one position. With few
 * ways, a search takes time in proportion to the text if the next character decides whether an unbounded
 * repetition goes on, and if few searches read the same repetitions.
 */

import { type AST, RegExpParser } from "@eslint-community/regexpp";

/** Character sets are compared on these code points. */
const SAMPLES = [
  ...Array.from({ length: 0x180 }, (_, code) => code),
  ...[0x1680, 0x2014, 0x2028, 0x2029, 0x212a, 0x3000, 0x4e00, 0xd800, 0xfeff, 0x1f600],
].map((code) => String.fromCodePoint(code));

type Characters = ReadonlySet<string>;
const NONE: Characters = new Set();
const ANY: Characters = new Set(SAMPLES);
const LINE_ENDS: Characters = new Set("\n\r\u2028\u2029");

/** What is known of a part of an expression, given the characters that may follow it. */
interface Part {
  /** The characters that it may begin with. */
  readonly first: Characters;
  readonly isNullable: boolean;
  /** An upper bound of the ways through it; infinite with unbounded repetition. */
  readonly ways: number;
}

/** What holds for the whole expression, or for what an enclosing repetition repeats. */
interface Context {
  readonly flags: string;
  /** Whether the expression is tried from one position only. */
  readonly isTriedOnce: boolean;
  /** The characters that a search may begin to consume at. */
  readonly opening: Characters;
}

const EMPTY: Part = { first: NONE, isNullable: true, ways: 1 };

/**
 * An upper bound of the ways that take time in proportion to the text. Infinite if this cannot be
 * concluded from the characters at which repetitions end.
 */
export function waysThrough(source: string, flags: string): number {
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, {
    unicode: flags.includes("u"),
    unicodeSets: flags.includes("v"),
  });
  const isTriedOnce = flags.includes("y") ||
    !flags.includes("m") &&
      pattern.alternatives.every(({ elements: [first] }) =>
        first?.type === "Assertion" && first.kind === "start"
      );
  const context = { flags: flags.replace(/[^imuvs]/g, ""), isTriedOnce, opening: ANY };
  const opening = union(pattern.alternatives.map(({ elements }) => {
    const consuming = elements.filter(({ type }) => type !== "Assertion");
    const { first, isNullable } = sequence(consuming, NONE, context, true);
    return isNullable ? ANY : first;
  }));
  return anyOf(pattern.alternatives, NONE, { ...context, opening }, true).ways;
}

/**
 * Alternatives that can match the same text are all tried.
 *
 * @param isLast Whether nothing follows that could fail.
 */
function anyOf(
  alternatives: readonly AST.Alternative[],
  follow: Characters,
  context: Context,
  isLast: boolean,
): Part {
  const parts = alternatives.map(({ elements }) => ({
    ...sequence(elements, follow, context, isLast),
    word: elements.every(isOneCharacter)
      ? elements.map(({ raw }) => charactersOf(raw, context.flags))
      : undefined,
  }));
  const compete = (one: typeof parts[number], other: typeof parts[number]) =>
    one.word !== undefined && other.word !== undefined && one.word.length * other.word.length > 0
      ? zip(one.word, other.word).every(([a, b]) => overlap(a, b))
      : overlap(reach(one, follow, isLast), reach(other, follow, isLast));
  const waysBeside = parts.map((one) =>
    parts.reduce((sum, other) => one === other || compete(one, other) ? sum + other.ways : sum, 0)
  );
  return {
    first: union(parts.map(({ first }) => first)),
    isNullable: parts.some(({ isNullable }) => isNullable),
    ways: Math.max(...waysBeside),
  };
}

function zip<Item>(one: readonly Item[], other: readonly Item[]): (readonly [Item, Item])[] {
  return one.slice(0, other.length).flatMap((item, index) => {
    const beside = other[index];
    return beside === undefined ? [] : [[item, beside] as const];
  });
}

function reach({ first, isNullable }: Part, follow: Characters, isLast: boolean): Characters {
  return isNullable && !isLast ? union([first, follow]) : first;
}

function sequence(
  elements: readonly AST.Element[],
  follow: Characters,
  context: Context,
  isLast: boolean,
): Part {
  return elements.reduceRight<Part>((rest, element, index) => {
    const next = rest.isNullable ? union([rest.first, follow]) : rest.first;
    const part = partOf(element, next, context, isLast && index === elements.length - 1);
    return {
      first: part.isNullable ? union([part.first, rest.first]) : part.first,
      isNullable: part.isNullable && rest.isNullable,
      ways: part.ways * rest.ways,
    };
  }, EMPTY);
}

function partOf(
  element: AST.Element,
  follow: Characters,
  context: Context,
  isLast: boolean,
): Part {
  switch (element.type) {
    case "Quantifier":
      return repeated(element, follow, context, isLast);
    case "Group":
    case "CapturingGroup":
      return anyOf(element.alternatives, follow, context, isLast);
    case "Assertion":
      return {
        first: beforeAssertion(element, context),
        isNullable: false,
        ways: waysOfAssertion(element, context),
      };
    case "Backreference":
      return { first: ANY, isNullable: true, ways: 1 };
    default:
      return { first: charactersOf(element.raw, context.flags), isNullable: false, ways: 1 };
  }
}

/** The characters that may follow where an assertion holds. It consumes none of them. */
function beforeAssertion({ kind }: AST.Assertion, { flags }: Context): Characters {
  if (kind !== "end") return ANY;
  return flags.includes("m") ? LINE_ENDS : NONE;
}

function waysOfAssertion(assertion: AST.Assertion, context: Context): number {
  if (assertion.kind !== "lookahead" && assertion.kind !== "lookbehind") return 1;
  return anyOf(assertion.alternatives, ANY, { ...context, isTriedOnce: false, opening: ANY }, false)
    .ways;
}

function repeated(
  { element, min, max }: AST.Quantifier,
  follow: Characters,
  context: Context,
  isLast: boolean,
): Part {
  const repeatedly = { ...context, opening: ANY };
  const once = partOf(element, NONE, repeatedly, false);
  // What occurs at most once is last if the whole is; otherwise it follows on itself.
  const next = max === 1 ? follow : union([once.first, follow]);
  const inner = partOf(element, next, max === 1 ? context : repeatedly, isLast && max === 1);
  const isNullable = min === 0 || inner.isNullable;
  // Nothing that follows can fail, so no number of repetitions is tried again.
  const neverReturns = isLast && inner.ways === 1 && !inner.isNullable && isOneCharacter(element);
  if (neverReturns) return { first: inner.first, isNullable, ways: 1 };
  const isDecided = !inner.isNullable && !overlap(inner.first, follow);
  if (max === Infinity) {
    // A search from each position must not read the same repetitions again and again. It does not if
    // none can begin within them: only the few that begin shortly before them reach them.
    const isReadOnce = context.isTriedOnce ||
      isOneCharacter(element) && !overlap(inner.first, context.opening);
    const ways = isDecided && inner.ways === 1 && isReadOnce ? 1 : Infinity;
    return { first: inner.first, isNullable, ways };
  }
  let ways = 0;
  for (let times = isDecided ? max : min; times <= max; times++) ways += inner.ways ** times;
  return { first: inner.first, isNullable, ways };
}

function isOneCharacter({ type }: AST.Element): boolean {
  return type === "Character" || type === "CharacterClass" || type === "CharacterSet";
}

function charactersOf(raw: string, flags: string): Characters {
  const pattern = new RegExp(`^(?:${raw})$`, flags);
  return new Set(SAMPLES.filter((character) => pattern.test(character)));
}

function union(sets: readonly Characters[]): Characters {
  return new Set(sets.flatMap((set) => [...set]));
}

function overlap(one: Characters, other: Characters): boolean {
  return !one.isDisjointFrom(other);
}
