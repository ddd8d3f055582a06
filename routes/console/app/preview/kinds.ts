/** How a file is shown. What its content is counts, and its name only among texts. */
export type PreviewKind =
  | "image"
  | "zip"
  | "tar"
  | "parquet"
  | "markdown"
  | "table"
  | "json"
  | "notebook"
  | "text";

/** Texts by the ends of names. */
const ENDINGS: readonly (readonly [end: string, kind: PreviewKind])[] = [
  [".md", "markdown"],
  [".markdown", "markdown"],
  [".csv", "table"],
  [".tsv", "table"],
  [".json", "json"],
  [".ipynb", "notebook"],
];

const TAR_MAGIC_AT = 257;

/** How a file is shown, by its name and its first bytes. Undefined if it cannot be. */
export function previewKind(path: string, head: Uint8Array): PreviewKind | undefined {
  if (imageType(head) !== undefined) return "image";
  if (beginsWith(head, "PK\x03\x04") || beginsWith(head, "PK\x05\x06")) return "zip";
  if (beginsWith(head.subarray(TAR_MAGIC_AT), "ustar")) return "tar";
  if (beginsWith(head, "PAR1")) return "parquet";
  if (!isText(head)) return undefined;
  const name = path.toLowerCase();
  return ENDINGS.find(([end]) => name.endsWith(end))?.[1] ?? "text";
}

/** The type of an image of a kind that cannot run anything, which SVG could. */
export function imageType(head: Uint8Array): string | undefined {
  if (beginsWith(head, "\x89PNG\r\n\x1a\n")) return "image/png";
  if (beginsWith(head, "\xff\xd8\xff")) return "image/jpeg";
  if (beginsWith(head, "GIF87a") || beginsWith(head, "GIF89a")) return "image/gif";
  if (beginsWith(head, "RIFF") && beginsWith(head.subarray(8), "WEBP")) return "image/webp";
  const brand = head.subarray(4);
  if (beginsWith(brand, "ftypavif") || beginsWith(brand, "ftypavis")) return "image/avif";
  return undefined;
}

/** The text of bytes. The end may be in the middle of a character. */
export function textOf(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes, { stream: true });
}

function encodingOf(bytes: Uint8Array): string {
  if (beginsWith(bytes, "\xff\xfe")) return "utf-16le";
  return beginsWith(bytes, "\xfe\xff") ? "utf-16be" : "utf-8";
}

/** Whether bytes begin a text: in UTF-16 with its mark, or in UTF-8 without characters that only programs have. */
function isText(head: Uint8Array): boolean {
  if (encodingOf(head) !== "utf-8") return true;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    // deno-lint-ignore no-control-regex
    return !/[\0-\x06\x0e-\x1a\x1c-\x1f]/.test(text);
  } catch {
    return false;
  }
}

/** @param start A character a byte. */
function beginsWith(bytes: Uint8Array, start: string): boolean {
  return bytes.length >= start.length &&
    [...start].every((character, at) => bytes[at] === character.charCodeAt(0));
}
