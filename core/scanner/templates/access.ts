import { quotedExcerpt } from "../contract/excerpt.ts";
import type { TemplateFindings } from "./finding.ts";
import {
  isDunder,
  isDunderPart,
  isInternal,
  isOrdinaryMethod,
  isSpecialDunder,
  isSpecialInParts,
  ruleOfFunction,
  ruleOfMethod,
  ruleOfVariable,
} from "./names.ts";
import { knownParts, type TemplateValue } from "./value.ts";

/** Filters that take names of attributes as arguments. */
const ATTRIBUTE_FILTERS: ReadonlySet<string> = new Set(
  "attr map select selectattr reject rejectattr sort groupby sum unique min max".split(" "),
);

/** Longer texts in blocks are no names. */
const MAX_BLOCK_CHARACTERS = 1000;

/** Judges the attributes, items and functions that a template accesses. */
export class AccessRules {
  #partPosition: number | undefined;
  #computedPosition: number | undefined;
  #dynamicCallPosition: number | undefined;

  constructor(
    readonly findings: TemplateFindings,
    /** Whether the template defines a macro of this name. */
    readonly isMacro: (name: string) => boolean,
    /** Whether the template assigns to this name. */
    readonly isAssigned: (name: string) => boolean,
  ) {}

  /** Judges the access to an attribute. */
  attribute(of: TemplateValue, name: string, position: number): void {
    if (isDunder(name) || isInternal(name)) return this.#critical(name, position);
    if (name.startsWith("_")) this.#warn(`Private attribute ${quotedExcerpt(name)}`, position);
    const rule = of.kind === "variable" ? ruleOfVariable(of.name) : undefined;
    if (of.kind !== "variable" || rule === undefined) return;
    const message = `The template uses the module "${of.name}"`;
    this.findings.add({ severity: "critical", message, position, ruleCode: rule });
  }

  /** Judges the access to an item, for which Jinja falls back to an attribute. */
  item(of: TemplateValue, key: TemplateValue, position: number): void {
    if (key.kind === "text") {
      if (isDunder(key.text) || isInternal(key.text)) this.#critical(key.text, position);
      else if (of.kind === "variable" && ruleOfVariable(of.name)) {
        this.attribute(of, key.text, position);
      }
      return;
    }
    if (key.kind === "number") return;
    this.#computedPosition ??= position;
    if (key.kind === "partial" && isSpecialInParts(key.parts)) {
      this.#warn("Name assembled at run time", position);
    }
  }

  /** Judges the call of a function or a method. */
  call(callee: TemplateValue, position: number): void {
    if (this.#isDynamic(callee)) this.#dynamicCallPosition ??= position;
    if (callee.kind === "variable" && !this.isMacro(callee.name)) {
      this.#function(callee.name, ruleOfFunction(callee.name), position);
    }
    if (callee.kind === "attribute") {
      this.#function(callee.name, ruleOfMethod(callee.name), position);
      if (callee.name === "format" || callee.name === "format_map") {
        this.#format(knownParts(callee.of), position);
      }
    }
  }

  /** Whether the callee is only known at run time, and not part of what templates are given. */
  #isDynamic(callee: TemplateValue): boolean {
    if (callee.kind === "variable") {
      return !this.isMacro(callee.name) && this.isAssigned(callee.name);
    }
    if (callee.kind !== "attribute" || callee.isItem) return true;
    return !isOrdinaryMethod(callee.name) || this.isAssigned(callee.name);
  }

  /** Judges a filter with its arguments. */
  filter(name: string, args: readonly TemplateValue[], position: number): void {
    if (!ATTRIBUTE_FILTERS.has(name)) return;
    for (const value of args) {
      this.#attributePath(value, position);
      if (value.kind !== "text" && value.kind !== "number") this.#computedPosition ??= position;
    }
    const [attribute] = args;
    if (name !== "attr" || attribute === undefined) return;
    if (attribute.kind === "text") {
      if (/^_(?!_)/.test(attribute.text)) this.attribute(attribute, attribute.text, position);
      return;
    }
    this.#warn("Filter attr with a computed name", position);
  }

  /** Judges a string that an expression contains or produces. */
  text(text: string, position: number): void {
    if (isDunderPart(text)) this.#partPosition ??= position;
    if (isSpecialDunder(text)) {
      this.#warn(`Dunder name ${quotedExcerpt(text)} in a string`, position);
    }
  }

  /** Judges the name of an argument, which becomes a string in `dict(name=1)`. */
  keyword(name: string, position: number): void {
    this.variable(name, position);
    this.text(name, position);
  }

  /** Judges what a macro, a call, a filter or an assignment makes of the text in its block. */
  block(text: string, position: number): void {
    const trimmed = text.slice(0, MAX_BLOCK_CHARACTERS).trim();
    this.variable(trimmed, position);
    this.text(trimmed, position);
  }

  /** Judges the use of a variable. */
  variable(name: string, position: number): void {
    if (isSpecialDunder(name)) this.#critical(name, position);
  }

  /** Judges what only the whole template shows. Call it once, after the last expression. */
  end(): void {
    if (this.#computedPosition === undefined) return;
    if (this.#partPosition !== undefined) {
      this.#warn("Part of a dunder name next to a computed key", this.#computedPosition);
    }
    if (this.#dynamicCallPosition !== undefined) {
      this.#warn(
        "Call of an object found at run time, next to a computed key",
        this.#dynamicCallPosition,
      );
    }
  }

  #attributePath(value: TemplateValue, position: number): void {
    for (const step of knownParts(value).slice(0, 1000).split(".")) {
      if (isDunder(step) || isInternal(step)) this.#critical(step, position);
    }
  }

  #format(format: string, position: number): void {
    const reached = /\{[^{}]{0,200}[.[]_/.exec(format);
    if (reached !== null) this.#critical(reached[0], position);
  }

  #function(name: string, ruleCode: ReturnType<typeof ruleOfFunction>, position: number): void {
    if (ruleCode === undefined) return;
    const message = `The template calls ${quotedExcerpt(name)}`;
    this.findings.add({ severity: "critical", message, position, ruleCode });
  }

  #critical(name: string, position: number): void {
    const message = `The template accesses ${quotedExcerpt(name)}`;
    this.findings.add({ severity: "critical", message, position, ruleCode: "S507" });
  }

  #warn(what: string, position: number): void {
    this.findings.add({ severity: "warning", message: what, position, ruleCode: "S507" });
  }
}
