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

/** The value of `value|filter(args)`, for filters that can assemble a name. */
export function filterValue(
  filter: string,
  value: TemplateValue,
  args: readonly TemplateValue[],
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
      return join(value, args[0]);
    case "format":
      return value.kind === "text" ? formatPercent(value.text, args) : UNKNOWN_VALUE;
    case "trim":
      return methodValue("strip", value, args);
    default:
      return methodValue(filter, value, args);
  }
}

/** The value of `value.method(args)`, for string methods that can assemble a name. */
export function methodValue(
  method: string,
  value: TemplateValue,
  args: readonly TemplateValue[],
): TemplateValue {
  if (value.kind === "list") return listMethodValue(method, value);
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
      return strip(text, asText(args[0]));
    case "replace":
      return replace(text, asText(args[0]), asText(args[1]));
    case "join":
      return args[0] === undefined ? UNKNOWN_VALUE : join(args[0], value);
    case "format":
      return formatBraces(text, args);
    default:
      return UNKNOWN_VALUE;
  }
}

/** The value of a method of a dictionary, of which a list has the keys, or of a list. */
function listMethodValue(
  method: string,
  list: TemplateValue & { readonly kind: "list" },
): TemplateValue {
  switch (method) {
    case "keys":
    case "copy":
    case "sort":
    case "unique":
      return list;
    case "items":
    case "dictsort":
      return listValue(list.items.map((key) => listValue([key, UNKNOWN_VALUE])));
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
  if (from === undefined || to === undefined) return { kind: "partial", parts: text };
  if (text.length * to.length > 2 ** 14) return UNKNOWN_VALUE;
  return textValue(text.replaceAll(from, () => to));
}
