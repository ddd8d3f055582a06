import type { TemplateFindings } from "./finding.ts";
import type { TemplateValue } from "./value.ts";

/** What a template may count to, and the characters that it may make of one text. Ten times Jinja's own limit. */
const MAX_COUNT = 1_000_000;
/** The exponent that a template may have. */
const MAX_EXPONENT = 10_000;

/** Methods and filters that make a text as long as their first argument says. */
const WIDTHS: ReadonlySet<string> = new Set(
  "center ljust rjust zfill expandtabs indent batch slice".split(" "),
);

/** A width of seven digits in `%9999999d` or `{:>9999999}`. */
const WIDE_FORMAT = /(?:%[-+ #0]{0,4}|\{[^{}:]{0,100}:[^{}]{0,4})\d{7}/;

const WHY = "Rendering the template takes all memory, or does not end";

/** Finds what takes more memory and time than templates of models need, if the template itself says so. */
export class ExhaustionRules {
  /** How often the open loops run: each by itself, if that is known. */
  readonly #loops: number[] = [];

  constructor(readonly findings: TemplateFindings) {}

  /** Judges the call of a function or a method. */
  call(callee: TemplateValue, args: readonly TemplateValue[], position: number): void {
    if (callee.kind === "variable" && callee.name === "lipsum") {
      this.#width("lipsum", args, position);
    }
    if (callee.kind === "variable" && callee.name === "range") {
      this.#count("range", rangeLength(args), position);
    }
    if (callee.kind !== "attribute") return;
    if (WIDTHS.has(callee.name)) this.#width(callee.name, args, position);
    if (callee.name === "format") this.#format(callee.of, position);
  }

  /** Judges a filter with its arguments. */
  filter(
    name: string,
    value: TemplateValue,
    args: readonly TemplateValue[],
    position: number,
  ): void {
    if (WIDTHS.has(name)) this.#width(name, args, position);
    if (name === "format") this.#format(value, position);
  }

  /** Judges a binary operator. */
  operator(operator: string, left: TemplateValue, right: TemplateValue, position: number): void {
    if (operator === "%") this.#format(left, position);
    if (operator === "**" && right.kind === "number" && right.value > MAX_EXPONENT) {
      this.#warn(`An exponent of ${right.value}`, position);
    }
    if (operator !== "*") return;
    const length = lengthOf(left) * numberOf(right) || numberOf(left) * lengthOf(right);
    this.#count("A text or list that is repeated", length, position);
  }

  /** Enters a loop over a value. */
  enterLoop(over: TemplateValue | undefined, position: number): void {
    this.#loops.push(over === undefined ? 1 : Math.max(1, lengthOf(over)));
    const runs = this.#loops.reduce((product, count) => product * count, 1);
    if (this.#loops.length > 1) this.#count("A loop in loops", runs, position);
  }

  leaveLoop(): void {
    this.#loops.pop();
  }

  #width(name: string, [width]: readonly TemplateValue[], position: number): void {
    this.#count(name, numberOf(width), position);
  }

  #format(format: TemplateValue, position: number): void {
    if (format.kind === "text" && WIDE_FORMAT.test(format.text)) {
      this.#warn("A format with a very large width", position);
    }
  }

  #count(what: string, count: number, position: number): void {
    if (count > MAX_COUNT) this.#warn(`${what} of ${count.toPrecision(2)}`, position);
  }

  #warn(message: string, position: number): void {
    this.findings.add({ severity: "warning", message, position, ruleCode: "S902", why: WHY });
  }
}

/** How many numbers a call of `range` yields; 0 if that is not known. */
export function rangeLength(args: readonly TemplateValue[]): number {
  const [first, second, third] = args.map(numberOf);
  if (first === undefined || args.some(({ kind }) => kind !== "number")) return 0;
  if (second === undefined) return first;
  return (second - first) / (third || 1);
}

function numberOf(value: TemplateValue | undefined): number {
  return value?.kind === "number" ? value.value : 0;
}

/** The characters or items that are known of a value. */
function lengthOf(value: TemplateValue): number {
  switch (value.kind) {
    case "range":
      return value.length;
    case "text":
      return value.text.length;
    case "partial":
      return value.parts.length;
    case "list":
      return value.items.length;
    default:
      return 0;
  }
}
