/** Bytes of a pickle: a Latin-1 string, one byte as a number, or bytes. */
export type Part = string | number | Uint8Array;

/** Concatenates parts. */
export function bytes(...parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => {
    if (typeof part === "number") return [part];
    return typeof part === "string" ? [...part].map((c) => c.charCodeAt(0)) : [...part];
  }));
}

/** Encodes a number in `length` bytes, little-endian. */
export function little(value: number, length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Math.floor(value / 256 ** i) % 256);
}

/** SHORT_BINUNICODE with a string. */
export function s8(text: string): Uint8Array {
  const utf8 = new TextEncoder().encode(text);
  return bytes(0x8c, utf8.length, utf8);
}

/** SHORT_BINSTRING with a string. */
export function short(text: string): Uint8Array {
  return bytes("U", text.length, text);
}

/** STACK_GLOBAL with its module and name. */
export function sg(module: string, name: string): Uint8Array {
  return bytes(s8(module), s8(name), 0x93);
}

/** GLOBAL with its module and name. */
export function gl(module: string, name: string): Uint8Array {
  return bytes(`c${module}\n${name}\n`);
}

/** BINBYTES with its bytes. */
export function binbytes(content: Uint8Array): Uint8Array {
  return bytes("B", little(content.length, 4), content);
}

/** BINUNICODE with a string. */
export function binunicode(text: string): Uint8Array {
  const utf8 = new TextEncoder().encode(text);
  return bytes("X", little(utf8.length, 4), utf8);
}
