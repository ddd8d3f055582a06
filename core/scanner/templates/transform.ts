import {
  asItems,
  asText,
  concatenate,
  formatBraces,
  formatPercent,
  itemAt,
  listValue,
  slice,
  type TemplateValue,
  textValue,
  UNKNOWN_VALUE,
} from "./value.ts";

/** The value of `value|filter(given)`, for those filters that make names of others. */
export function filterValue(
  filter: string,
  value: TemplateValue,
  given: readonly TemplateValue[],
): TemplateValue {
  switch (filter) {
    case "string":
    case "safe":
    case "escape":
    case "e":
    case "forceescape":
      return value;
    case "list":
      return listOf(value);
    case "first":
      return itemAt(value, 0);
    case "last":
      return itemAt(value, -1);
    case "reverse":
      return slice(value, [undefined, undefined, -1]);
    case "join":
      return join(value, given[0]);
    case "format":
      return value.kind === "text" ? formatPercent(value.text, given) : UNKNOWN_VALUE;
    case "trim":
      return methodValue("strip", value, given);
    default:
      return methodValue(filter, value, given);
  }
}

/** The value of `value.method(given)`, for methods of texts that make names of others. */
export function methodValue(
  method: string,
  value: TemplateValue,
  given: readonly TemplateValue[],
): TemplateValue {
  if (value.kind !== "text") return UNKNOWN_VALUE;
  const { text } = value;
  switch (method) {
    case "lower":
    case "casefold":
      return textValue(text.toLowerCase());
    case "upper":
      return textValue(text.toUpperCase());
    case "swapcase":
      return textValue([...text].map(swapCase).join(""));
    case "strip":
      return strip(text, asText(given[0]));
    case "replace":
      return replace(text, asText(given[0]), asText(given[1]));
    case "join":
      return given[0] === undefined ? UNKNOWN_VALUE : join(given[0], value);
    case "format":
      return formatBraces(text, given);
    default:
      return UNKNOWN_VALUE;
  }
}

function listOf(value: TemplateValue): TemplateValue {
  const items = asItems(value);
  return items === undefined ? UNKNOWN_VALUE : listValue(items);
}

function join(value: TemplateValue, separator: TemplateValue | undefined): TemplateValue {
  const items = asItems(value);
  if (items === undefined) return UNKNOWN_VALUE;
  return concatenate(items, separator === undefined ? "" : asText(separator) ?? "");
}

function swapCase(letter: string): string {
  const upper = letter.toUpperCase();
  return letter === upper ? letter.toLowerCase() : upper;
}

function strip(text: string, characters: string | undefined): TemplateValue {
  if (characters === undefined) return textValue(text.trim());
  let start = 0;
  let end = text.length;
  while (start < end && characters.includes(text.charAt(start))) start++;
  while (end > start && characters.includes(text.charAt(end - 1))) end--;
  return textValue(text.slice(start, end));
}

function replace(text: string, from: string | undefined, to: string | undefined): TemplateValue {
  if (from === undefined || to === undefined) return { kind: "built", parts: text };
  if (text.length * to.length > 2 ** 14) return UNKNOWN_VALUE;
  return textValue(text.replaceAll(from, () => to));
}
