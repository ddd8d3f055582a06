const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&apos;": "'",
  "&gt;": ">",
  "&lt;": "<",
  "&quot;": '"',
};

/**
 * The contents of all elements of a name in a document of a store, which has no attributes in them. Those
 * of elements with children are not unescaped.
 */
export function textsOf(xml: string, element: string): string[] {
  const [opening, closing] = [`<${element}>`, `</${element}>`];
  const texts: string[] = [];
  for (let at = xml.indexOf(opening); at >= 0; at = xml.indexOf(opening, at)) {
    const start = at + opening.length;
    const end = xml.indexOf(closing, start);
    if (end < 0) break;
    const text = xml.slice(start, end);
    texts.push(text.includes("<") ? text : unescaped(text));
    at = end;
  }
  return texts;
}

/** A text as the content of an element. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

function unescaped(text: string): string {
  return text.replaceAll(/&(?:amp|apos|gt|lt|quot);/g, (entity) => ENTITIES[entity] ?? entity);
}
