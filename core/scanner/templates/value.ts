/** What is known about the value of an expression without rendering the template. */
export type TemplateValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly value: number }
  /** A list, a tuple or the keys of a dictionary. */
  | { readonly kind: "list"; readonly items: readonly TemplateValue[] }
  /** The numbers of a call of `range`. */
  | { readonly kind: "range"; readonly length: number }
  /** A string of which only these parts are known. */
  | { readonly kind: "partial"; readonly parts: string }
  /** A variable of the template or its context. */
  | { readonly kind: "variable"; readonly name: string }
  | {
    readonly kind: "attribute";
    readonly of: TemplateValue;
    readonly name: string;
    /** Whether it is written as an item, `x["y"]`, rather than `x.y`. */
    readonly isItem?: boolean;
  }
  | { readonly kind: "unknown" };

export const UNKNOWN_VALUE: TemplateValue = { kind: "unknown" };

/** Longer strings and lists have an unknown value. */
const MAX_TEXT_CHARACTERS = 4096;
const MAX_LIST_ITEMS = 256;

/** A string value, or an unknown one if it is too long. */
export function textValue(text: string): TemplateValue {
  return text.length > MAX_TEXT_CHARACTERS ? UNKNOWN_VALUE : { kind: "text", text };
}

/** A list value, or an unknown one if it is too long. */
export function listValue(items: readonly TemplateValue[]): TemplateValue {
  return items.length > MAX_LIST_ITEMS ? UNKNOWN_VALUE : { kind: "list", items };
}

/** The value as Python's `str` converts it, or undefined if unknown. */
export function asText(value: TemplateValue | undefined): string | undefined {
  if (value?.kind === "text") return value.text;
  return value?.kind === "number" ? String(value.value) : undefined;
}

/** The items that iteration yields: those of a list, or the characters of a string. */
export function asItems(value: TemplateValue | undefined): readonly TemplateValue[] | undefined {
  if (value?.kind === "list") return value.items;
  if (value?.kind !== "text" || value.text.length > MAX_LIST_ITEMS) return undefined;
  return [...value.text].map(textValue);
}

/** The known text of a value, for findings only. Empty if nothing is known. */
export function knownParts(value: TemplateValue): string {
  return value.kind === "partial" ? value.parts : asText(value) ?? "";
}

/** The values joined to a string. */
export function concatenate(values: readonly TemplateValue[], separator = ""): TemplateValue {
  const length = values.reduce((sum, value) => sum + knownParts(value).length, 0);
  if (length + separator.length * values.length > MAX_TEXT_CHARACTERS) return UNKNOWN_VALUE;
  const known = values.every((value) => asText(value) !== undefined);
  const texts = values.map(knownParts);
  return known ? textValue(texts.join(separator)) : { kind: "partial", parts: texts.join("") };
}

/** The value of a binary operator. */
export function applyOperator(
  operator: string,
  left: TemplateValue,
  right: TemplateValue,
): TemplateValue {
  if (operator === "~") return concatenate([left, right]);
  if (operator === "+") return add(left, right);
  if (operator === "*") return multiply(left, right);
  if (operator === "%" && left.kind === "text") return formatPercent(left.text, items(right));
  if (left.kind !== "number" || right.kind !== "number") return UNKNOWN_VALUE;
  if (operator === "-") return { kind: "number", value: left.value - right.value };
  return operator === "**" ? { kind: "number", value: left.value ** right.value } : UNKNOWN_VALUE;
}

/** The item of a string or list at an index, which counts from the end if negative. */
export function itemAt(of: TemplateValue, index: number): TemplateValue {
  return asItems(of)?.at(index) ?? UNKNOWN_VALUE;
}

/** A slice of a string or list, with Python's semantics. */
export function slice(of: TemplateValue, bounds: readonly (number | undefined)[]): TemplateValue {
  const all = asItems(of);
  const [start, stop, step = 1] = bounds;
  if (all === undefined || !Number.isInteger(step) || step === 0) return UNKNOWN_VALUE;
  const forward = step > 0;
  const boundOf = (index: number | undefined, fallback: number) =>
    index === undefined
      ? fallback
      : Math.max(forward ? 0 : -1, Math.min(index < 0 ? index + all.length : index, all.length));
  const end = boundOf(stop, forward ? all.length : -1);
  const taken: TemplateValue[] = [];
  let index = Math.min(
    boundOf(start, forward ? 0 : all.length - 1),
    forward ? all.length : all.length - 1,
  );
  for (; forward ? index < end : index > end; index += step) {
    taken.push(all[index] ?? UNKNOWN_VALUE);
  }
  return of.kind === "text" ? concatenate(taken) : listValue(taken);
}

/** The result of the `%` operator on a string; partly known if one of the values is unknown. */
export function formatPercent(format: string, values: readonly TemplateValue[]): TemplateValue {
  return fill(format, /%(?:[-+ #0-9.]{0,9})([a-zA-Z%])/g, (conversion, index) => {
    const value = values[index];
    if (conversion === "c" && value?.kind === "number") return character(value.value);
    return asText(value);
  });
}

/** The result of `str.format` with positional values. */
export function formatBraces(format: string, values: readonly TemplateValue[]): TemplateValue {
  return fill(format, /\{(\d{0,3})(?:![rsa])?(?::[^{}]{0,9})?\}/g, (number, index) => {
    const value = values[number === "" ? index : Number(number)];
    if (value?.kind === "number" && format.includes(":c}")) return character(value.value);
    return asText(value);
  });
}

/** Replaces each field of a format by the text for its first group and its index, if known. */
function fill(
  format: string,
  field: RegExp,
  textFor: (group: string, index: number) => string | undefined,
): TemplateValue {
  let next = 0;
  let known = true;
  let length = format.length;
  const filled = format.replace(field, (_whole, group: string) => {
    if (group === "%") return "%";
    const text = textFor(group, next++);
    known &&= text !== undefined;
    length += text?.length ?? 0;
    return length > MAX_TEXT_CHARACTERS ? "" : text ?? "";
  });
  if (length > MAX_TEXT_CHARACTERS) return UNKNOWN_VALUE;
  return known ? textValue(filled) : { kind: "partial", parts: filled };
}

function character(code: number): string | undefined {
  const valid = Number.isInteger(code) && code >= 0 && code <= 0x10ffff;
  return valid ? String.fromCodePoint(code) : undefined;
}

function items(value: TemplateValue): readonly TemplateValue[] {
  return value.kind === "list" ? value.items : [value];
}

function add(left: TemplateValue, right: TemplateValue): TemplateValue {
  if (left.kind === "number" && right.kind === "number") {
    return { kind: "number", value: left.value + right.value };
  }
  if (left.kind === "list" && right.kind === "list") {
    return listValue([...left.items, ...right.items]);
  }
  return isTextual(left) || isTextual(right) ? concatenate([left, right]) : UNKNOWN_VALUE;
}

function isTextual(value: TemplateValue): boolean {
  return value.kind === "text" || value.kind === "partial";
}

function multiply(left: TemplateValue, right: TemplateValue): TemplateValue {
  if (right.kind === "text") return left.kind === "number" ? multiply(right, left) : UNKNOWN_VALUE;
  if (right.kind !== "number") return UNKNOWN_VALUE;
  if (left.kind === "number") return { kind: "number", value: left.value * right.value };
  const times = Math.max(0, right.value);
  if (left.kind !== "text" || left.text.length * times > MAX_TEXT_CHARACTERS) return UNKNOWN_VALUE;
  return Number.isInteger(times) ? textValue(left.text.repeat(times)) : UNKNOWN_VALUE;
}
