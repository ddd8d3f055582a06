import type { AccessRules } from "./access.ts";
import { type ExhaustionRules, rangeLength } from "./exhaustion.ts";
import type { Token } from "./tokens.ts";
import { filterValue, methodValue } from "./transform.ts";
import {
  applyOperator,
  itemAt,
  listValue,
  slice,
  type TemplateValue,
  textValue,
  UNKNOWN_VALUE,
} from "./value.ts";

/** Precedence of Jinja's binary operators, including the words of statements. */
const PRECEDENCE: ReadonlyMap<string, number> = new Map([
  ...["if", "else"].map((word): [string, number] => [word, 1]),
  ["or", 2],
  ["and", 3],
  ...["==", "!=", "<", ">", "<=", ">=", "in", "not"].map((word): [string, number] => [word, 4]),
  ["+", 5],
  ["-", 5],
  ["~", 6],
  ...["*", "/", "//", "%"].map((word): [string, number] => [word, 7]),
  ["**", 8],
]);
const UNARY: ReadonlySet<string> = new Set(["not", "-", "+"]);
const WORDS: ReadonlySet<string> = new Set(["if", "else", "or", "and", "in", "not", "is"]);
const CLOSING: ReadonlyMap<string, string> = new Map([["(", ")"], ["[", "]"], ["{", "}"]]);

/** Levels of nested brackets and operators that are followed. */
const MAX_DEPTH = 100;

/** One of the expressions in a pair of brackets. */
interface BracketItem {
  readonly value: TemplateValue;
  /** The name in `name=value`. */
  readonly keyword: string | undefined;
  /** The number of colons before it. */
  readonly colons: number;
}

/** The contents of a pair of brackets. */
interface BracketContents {
  readonly items: readonly BracketItem[];
  readonly colons: number;
}

/** What the reader of expressions needs to know about the template. */
export interface ExpressionContext {
  readonly rules: AccessRules;
  readonly exhaustion: ExhaustionRules;
  /** The value of a variable, if known. */
  valueOf(name: string): TemplateValue | undefined;
  /** Called when an object gets an attribute of that name. */
  onAttributeAssigned(name: string): void;
  /** Called when an expression is nested too deeply to be followed. */
  onTooDeep(position: number): void;
}

/**
 * Reads the expressions of a template and judges what they access. Skips tokens that do not start an
 * expression, so that statements and malformed templates are covered as far as possible.
 */
export class ExpressionReader {
  #index = 0;
  #depth = 0;

  constructor(readonly tokens: readonly Token[], readonly context: ExpressionContext) {}

  /** The next token, or the one `ahead` tokens after it. */
  peek(ahead = 0): Token | undefined {
    return this.tokens[this.#index + ahead];
  }

  next(): Token | undefined {
    return this.tokens[this.#index++];
  }

  /** Consumes the next token if it is this operator or word. Returns whether it was. */
  take(text: string): boolean {
    const token = this.peek();
    const found = (token?.kind === "operator" || token?.kind === "name") && token.text === text;
    if (found) this.#index++;
    return found;
  }

  /** Reads to the end of the print or statement. Returns the values found there. */
  readToEnd(): readonly TemplateValue[] {
    return this.#items("").items.map(({ value }) => value);
  }

  /** Reads a block's filter, `name(arguments)`, and what follows it. */
  readBlockFilter(): void {
    const position = this.peek()?.position ?? 0;
    this.#postfix(this.#filter(UNKNOWN_VALUE, position));
    this.readToEnd();
  }

  #items(closing: string): BracketContents {
    const items: BracketItem[] = [];
    let colons = 0;
    for (;;) {
      const token = this.peek();
      if (token === undefined || token.kind === "end") return { items, colons };
      if (token.kind === "operator" && token.text === closing) {
        this.#index++;
        return { items, colons };
      }
      if (this.take(":")) colons++;
      else if (this.#startsExpression(token)) items.push(this.#item(colons));
      else this.#index++;
    }
  }

  #item(colons: number): BracketItem {
    const name = this.peek();
    const after = this.tokens[this.#index + 1];
    const named = name?.kind === "name" && after?.kind === "operator" && after.text === "=";
    if (!named) return { value: this.#expression(), keyword: undefined, colons };
    this.#index += 2;
    this.context.onAttributeAssigned(name.text);
    this.context.rules.keyword(name.text, name.position);
    return { value: this.#expression(), keyword: name.text, colons };
  }

  #startsExpression(token: Token): boolean {
    if (token.kind === "operator") return CLOSING.has(token.text) || UNARY.has(token.text);
    return token.kind !== "data";
  }

  #expression(minimum = 0): TemplateValue {
    const position = this.peek()?.position ?? 0;
    if (this.#depth >= MAX_DEPTH) {
      this.context.onTooDeep(position);
      this.#index++;
      return UNKNOWN_VALUE;
    }
    this.#depth++;
    const value = this.#binary(minimum);
    this.#depth--;
    if (value.kind === "text") this.context.rules.text(value.text, position);
    return value;
  }

  #binary(minimum: number): TemplateValue {
    let left = this.#unary();
    for (;;) {
      const operator = this.peek();
      if (operator?.kind !== "operator" && operator?.kind !== "name") return left;
      const precedence = PRECEDENCE.get(operator.text);
      if (precedence === undefined || precedence <= minimum) return left;
      this.#index++;
      if (operator.text === "not") this.take("in");
      const right = this.#expression(precedence);
      this.context.exhaustion.operator(operator.text, left, right, operator.position);
      left = applyOperator(operator.text, left, right);
    }
  }

  #unary(): TemplateValue {
    let negative = false;
    for (;;) {
      const token = this.peek();
      if (token?.kind !== "operator" && token?.kind !== "name") break;
      if (!UNARY.has(token.text)) break;
      if (token.text === "-") negative = !negative;
      this.#index++;
    }
    const value = this.#postfix(this.#primary());
    return negative && value.kind === "number" ? { ...value, value: -value.value } : value;
  }

  #primary(): TemplateValue {
    const token = this.next();
    switch (token?.kind) {
      case "string":
        return this.#strings(token.text, token.position);
      case "number":
        return { kind: "number", value: token.value };
      case "name":
        return this.#variable(token.text, token.position);
      case "operator":
        return this.#brackets(token.text);
      default:
        // Leave the end for the surrounding list to find.
        if (token?.kind === "end") this.#index--;
        return UNKNOWN_VALUE;
    }
  }

  #strings(first: string, position: number): TemplateValue {
    let text = first;
    for (let more = this.peek(); more?.kind === "string"; more = this.peek()) {
      text += more.text;
      this.#index++;
    }
    this.context.rules.text(text, position);
    return textValue(text);
  }

  #variable(name: string, position: number): TemplateValue {
    if (WORDS.has(name)) return UNKNOWN_VALUE;
    this.context.rules.variable(name, position);
    return this.context.valueOf(name) ?? { kind: "variable", name };
  }

  #brackets(opening: string): TemplateValue {
    const closing = CLOSING.get(opening);
    if (closing === undefined) return UNKNOWN_VALUE;
    const { items } = this.#items(closing);
    if (opening === "{") {
      return listValue(items.filter((item, i) => item.colons === i / 2).map(valueOfItem));
    }
    const [only] = items;
    return opening === "(" && items.length === 1 && only !== undefined
      ? only.value
      : listValue(items.map(valueOfItem));
  }

  #postfix(start: TemplateValue): TemplateValue {
    let value = start;
    for (;;) {
      const position = this.peek()?.position ?? 0;
      if (this.take(".")) value = this.#indextribute(value, position);
      else if (this.take("[")) value = this.#subscript(value, position);
      else if (this.take("(")) value = this.#call(value, position);
      else if (this.take("|")) value = this.#filter(value, position);
      else if (this.take("is")) value = this.#test();
      else return value;
    }
  }

  #indextribute(of: TemplateValue, position: number): TemplateValue {
    const token = this.peek();
    if (token?.kind !== "name") return UNKNOWN_VALUE;
    this.#index++;
    this.context.rules.attribute(of, token.text, position);
    return { kind: "attribute", of, name: token.text };
  }

  #subscript(of: TemplateValue, position: number): TemplateValue {
    const { items, colons } = this.#items("]");
    for (const { value } of items) this.context.rules.item(of, value, position);
    if (colons > 0) {
      return slice(of, [0, 1, 2].map((colons) => boundAt(items, colons)));
    }
    const [only] = items;
    if (only?.value.kind === "text") {
      return { kind: "attribute", of, name: only.value.text, isItem: true };
    }
    const index = only === undefined ? undefined : boundAt(items, 0);
    return index === undefined ? UNKNOWN_VALUE : itemAt(of, index);
  }

  #call(callee: TemplateValue, position: number): TemplateValue {
    const { items } = this.#items(")");
    const args = items.map(valueOfItem);
    this.context.rules.call(callee, position);
    this.context.exhaustion.call(callee, args, position);
    if (callee.kind === "variable" && callee.name === "range") {
      return { kind: "range", length: rangeLength(args) };
    }
    if (callee.kind === "variable" && callee.name === "dict") {
      return listValue(items.map(({ keyword }) => keyword ? textValue(keyword) : UNKNOWN_VALUE));
    }
    return callee.kind === "attribute" ? methodValue(callee.name, callee.of, args) : UNKNOWN_VALUE;
  }

  #filter(value: TemplateValue, position: number): TemplateValue {
    const name = this.#dotted();
    const args = this.take("(") ? this.#items(")").items.map(valueOfItem) : [];
    this.context.rules.filter(name, args, position);
    this.context.exhaustion.filter(name, value, args, position);
    const result = filterValue(name, value, args);
    if (result.kind === "text") this.context.rules.text(result.text, position);
    const [attribute] = args;
    if (name !== "attr" || attribute?.kind !== "text") return result;
    return { kind: "attribute", of: value, name: attribute.text };
  }

  #test(): TemplateValue {
    this.take("not");
    this.#dotted();
    if (this.take("(")) this.#items(")");
    return UNKNOWN_VALUE;
  }

  #dotted(): string {
    let name = "";
    do {
      const token = this.peek();
      if (token?.kind !== "name") return name;
      this.#index++;
      name += (name === "" ? "" : ".") + token.text;
    } while (this.take("."));
    return name;
  }
}

function valueOfItem({ value }: BracketItem): TemplateValue {
  return value;
}

function boundAt(items: readonly BracketItem[], colons: number): number | undefined {
  const value = items.find((item) => item.colons === colons)?.value;
  return value?.kind === "number" ? value.value : undefined;
}
