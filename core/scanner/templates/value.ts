/** What is known of the value of an expression without running it. */
export type TemplateValue =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "number"; readonly value: number }
  /** A list, a tuple, or the keys of a dictionary. */
  | { readonly kind: "list"; readonly items: readonly TemplateValue[] }
  /** A text of which only some parts are known: these. */
  | { readonly kind: "built"; readonly parts: string }
  /** A variable of the template, or of its surroundings. */
  | { readonly kind: "variable"; readonly name: string }
  | {
    readonly kind: "attribute";
    readonly of: TemplateValue;
    readonly name: string;
    /** Whether it is an item in the first place: of `x["y"]`, not `x.y`. */
    readonly isItem?: boolean;
  }
  | { readonly kind: "unknown" };

export const UNKNOWN_VALUE: TemplateValue = { kind: "unknown" };

/** Characters of a text, and items of a list, that are followed. */
const MAX_TEXT_CHARACTERS = 4096;
const MAX_LIST_ITEMS = 256;

/** A text, unless it is too long to be followed. */
export function textValue(text: string): TemplateValue {
  return text.length > MAX_TEXT_CHARACTERS ? UNKNOWN_VALUE : { kind: "text", text };
}

/** A list, unless it is too long to be followed. */
export function listValue(items: readonly TemplateValue[]): TemplateValue {
  return items.length > MAX_LIST_ITEMS ? UNKNOWN_VALUE : { kind: "list", items };
}

/** What Python's `str` makes of a value; undefined where that isn't known. */
export function asText(value: TemplateValue | undefined): string | undefined {
  if (value?.kind === "text") return value.text;
  return value?.kind === "number" ? String(value.value) : undefined;
}

/** What a value is iterated as: the items of a list, the characters of a text. */
export function asItems(value: TemplateValue | undefined): readonly TemplateValue[] | undefined {
  if (value?.kind === "list") return value.items;
  if (value?.kind !== "text" || value.text.length > MAX_LIST_ITEMS) return undefined;
  return [...value.text].map(textValue);
}

/** What of a value is known as text, for findings only: empty where nothing is. */
export function knownParts(value: TemplateValue): string {
  return value.kind === "built" ? value.parts : asText(value) ?? "";
}

/** The values one after the other as a text. */
export function concatenate(values: readonly TemplateValue[], separator = ""): TemplateValue {
  const length = values.reduce((sum, value) => sum + knownParts(value).length, 0);
  if (length + separator.length * values.length > MAX_TEXT_CHARACTERS) return UNKNOWN_VALUE;
  const known = values.every((value) => asText(value) !== undefined);
  const texts = values.map(knownParts);
  return known ? textValue(texts.join(separator)) : { kind: "built", parts: texts.join("") };
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
  if (operator === "-" && left.kind === "number" && right.kind === "number") {
    return { kind: "number", value: left.value - right.value };
  }
  return UNKNOWN_VALUE;
}

/** The item of a text or list at an index that may be negative. */
export function itemAt(of: TemplateValue, index: number): TemplateValue {
  return asItems(of)?.at(index) ?? UNKNOWN_VALUE;
}

/** A slice of a text or list, as Python cuts it. */
export function slice(of: TemplateValue, bounds: readonly (number | undefined)[]): TemplateValue {
  const all = asItems(of);
  const [start, stop, step = 1] = bounds;
  if (all === undefined || !Number.isInteger(step) || step === 0) return UNKNOWN_VALUE;
  const forward = step > 0;
  const place = (index: number | undefined, otherwise: number) =>
    index === undefined
      ? otherwise
      : Math.max(forward ? 0 : -1, Math.min(index < 0 ? index + all.length : index, all.length));
  const end = place(stop, forward ? all.length : -1);
  const taken: TemplateValue[] = [];
  let at = Math.min(
    place(start, forward ? 0 : all.length - 1),
    forward ? all.length : all.length - 1,
  );
  for (; forward ? at < end : at > end; at += step) taken.push(all[at] ?? UNKNOWN_VALUE);
  return of.kind === "text" ? concatenate(taken) : listValue(taken);
}

/** What `%` makes of a text and its values; a part is unknown where one of them is. */
export function formatPercent(format: string, values: readonly TemplateValue[]): TemplateValue {
  return fill(format, /%(?:[-+ #0-9.]{0,9})([a-zA-Z%])/g, values, (conversion, value) => {
    if (conversion === "c" && value?.kind === "number") return character(value.value);
    return asText(value);
  });
}

/** What `str.format` makes of a text and its values, by their order or number. */
export function formatBraces(format: string, values: readonly TemplateValue[]): TemplateValue {
  return fill(format, /\{(\d{0,3})(?:![rsa])?(?::[^{}]{0,9})?\}/g, values, (number, value) => {
    const chosen = number === undefined || number === "" ? value : values[Number(number)];
    if (chosen?.kind === "number" && format.includes(":c}")) return character(chosen.value);
    return asText(chosen);
  });
}

function fill(
  format: string,
  field: RegExp,
  values: readonly TemplateValue[],
  write: (field: string | undefined, value: TemplateValue | undefined) => string | undefined,
): TemplateValue {
  let next = 0;
  let known = true;
  let length = format.length;
  const filled = format.replace(field, (_whole, kind) => {
    if (kind === "%") return "%";
    const text = write(typeof kind === "string" ? kind : undefined, values[next++]);
    known &&= text !== undefined;
    length += text?.length ?? 0;
    return length > MAX_TEXT_CHARACTERS ? "" : text ?? "";
  });
  if (length > MAX_TEXT_CHARACTERS) return UNKNOWN_VALUE;
  return known ? textValue(filled) : { kind: "built", parts: filled };
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
  return value.kind === "text" || value.kind === "built";
}

function multiply(left: TemplateValue, right: TemplateValue): TemplateValue {
  if (right.kind === "text") return left.kind === "number" ? multiply(right, left) : UNKNOWN_VALUE;
  if (right.kind !== "number") return UNKNOWN_VALUE;
  if (left.kind === "number") return { kind: "number", value: left.value * right.value };
  const times = Math.max(0, right.value);
  if (left.kind !== "text" || left.text.length * times > MAX_TEXT_CHARACTERS) return UNKNOWN_VALUE;
  return Number.isInteger(times) ? textValue(left.text.repeat(times)) : UNKNOWN_VALUE;
}
