/**
 * Methods of `Uint8Array` that the scanner uses, for Node.js before 25 and browsers before 2026. The
 * scanner has a thread of its own, so no other code sees them.
 */

const METHODS = {
  toHex(this: Uint8Array): string {
    return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
  },
};

const FUNCTIONS = {
  /** @throws {SyntaxError} when the text is not hexadecimal. */
  fromHex(text: string): Uint8Array {
    if (text.length % 2 !== 0 || !/^[\da-f]*$/i.test(text)) {
      throw new SyntaxError("Not hexadecimal");
    }
    return Uint8Array.from(
      { length: text.length / 2 },
      (_, index) => Number.parseInt(text.slice(2 * index, 2 * index + 2), 16),
    );
  },
  /** @throws {DOMException} when the text is not Base64. */
  fromBase64(text: string): Uint8Array {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  },
};

define(Uint8Array.prototype, METHODS);
define(Uint8Array, FUNCTIONS);

/** Adds what an object lacks. */
function define(target: object, functions: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(functions)) {
    if (!(name in target)) Object.defineProperty(target, name, { value, configurable: true });
  }
}
