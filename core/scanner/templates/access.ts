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

/** Filters whose arguments name attributes. */
const ATTRIBUTE_FILTERS: ReadonlySet<string> = new Set(
  "attr map select selectattr reject rejectattr sort groupby sum unique min max".split(" "),
);

/** Judges what a template reaches for: attributes, items and functions. */
export class AccessRules {
  #partAt: number | undefined;
  #computedAt: number | undefined;
  #foundCallAt: number | undefined;

  constructor(
    readonly findings: TemplateFindings,
    /** Whether a name is a macro of the template itself. */
    readonly isMacro: (name: string) => boolean,
    /** Whether the template itself gives a value to the name. */
    readonly isAssigned: (name: string) => boolean,
  ) {}

  /** An attribute, by name. */
  attribute(of: TemplateValue, name: string, position: number): void {
    if (isDunder(name) || isInternal(name)) return this.#critical(name, position);
    if (name.startsWith("_")) this.#warn(`The private attribute ${quotedExcerpt(name)}`, position);
    const rule = of.kind === "variable" ? ruleOfVariable(of.name) : undefined;
    if (of.kind !== "variable" || rule === undefined) return;
    const message = `The template uses the module "${of.name}"`;
    this.findings.add({ severity: "critical", message, position, ruleCode: rule });
  }

  /** An item, which may be an attribute as well. */
  item(of: TemplateValue, key: TemplateValue, position: number): void {
    if (key.kind === "text") {
      if (isDunder(key.text) || isInternal(key.text)) this.#critical(key.text, position);
      else if (of.kind === "variable" && ruleOfVariable(of.name)) {
        this.attribute(of, key.text, position);
      }
      return;
    }
    if (key.kind === "number") return;
    this.#computedAt ??= position;
    if (key.kind === "built" && isSpecialInParts(key.parts)) {
      this.#warn("A name that is put together at run time", position);
    }
  }

  /** A call of a function or a method. */
  call(callee: TemplateValue, position: number): void {
    if (this.#isFound(callee)) this.#foundCallAt ??= position;
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

  /** Whether what is called is found at run time, rather than one of what templates are given. */
  #isFound(callee: TemplateValue): boolean {
    if (callee.kind === "variable") {
      return !this.isMacro(callee.name) && this.isAssigned(callee.name);
    }
    if (callee.kind !== "attribute" || callee.isItem) return true;
    return !isOrdinaryMethod(callee.name) || this.isAssigned(callee.name);
  }

  /** A filter with its arguments. */
  filter(name: string, given: readonly TemplateValue[], position: number): void {
    if (!ATTRIBUTE_FILTERS.has(name)) return;
    for (const value of given) {
      this.#attributePath(value, position);
      if (value.kind !== "text" && value.kind !== "number") this.#computedAt ??= position;
    }
    const attribute = given[0];
    if (name !== "attr" || attribute === undefined) return;
    if (attribute.kind === "text") {
      if (/^_(?!_)/.test(attribute.text)) this.attribute(attribute, attribute.text, position);
      return;
    }
    this.#warn("The filter attr with a computed name", position);
  }

  /** A text that an expression has or makes. */
  text(text: string, position: number): void {
    if (isDunderPart(text)) this.#partAt ??= position;
    if (isSpecialDunder(text)) this.#warn(`The name ${quotedExcerpt(text)} as a text`, position);
  }

  /** A variable, by name. */
  variable(name: string, position: number): void {
    if (isSpecialDunder(name)) this.#critical(name, position);
  }

  /** Judges what only the whole template shows. */
  end(): void {
    if (this.#computedAt === undefined) return;
    if (this.#partAt !== undefined) {
      this.#warn("A part of a dunder name, beside a computed key", this.#computedAt);
    }
    if (this.#foundCallAt !== undefined) {
      this.#warn("A call of what is found at run time, beside a computed key", this.#foundCallAt);
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
    const message = `The template reaches for ${quotedExcerpt(name)}`;
    this.findings.add({ severity: "critical", message, position, ruleCode: "S507" });
  }

  #warn(what: string, position: number): void {
    this.findings.add({ severity: "warning", message: what, position, ruleCode: "S507" });
  }
}
