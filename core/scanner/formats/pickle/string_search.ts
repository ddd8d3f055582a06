import { KIB, MIB } from "../../../../schemas/units.ts";
import { decodeLatin1 } from "../../readers/bytes/bytes.ts";
import { SecretSearch } from "../../knowledge/secrets/secret_search.ts";
import type { Signal } from "./findings.ts";
import { decodeText, type TextCodec } from "./literals.ts";
import type { OpcodeName } from "./opcodes.ts";
import type { Instruction } from "./parser.ts";

/** Longest string that is searched, and longest bytes: longer ones are data. */
const MAX_TEXT_BYTES = MIB;
const MAX_BINARY_BYTES = 4 * KIB;

/** Longest string that can be the name of the next one. */
const MAX_NAME_BYTES = 64;

/** Codecs of the instructions that push strings or bytes. */
const CODECS: { readonly [name in OpcodeName]?: TextCodec } = {
  STRING: "string_escape",
  BINSTRING: "latin1",
  SHORT_BINSTRING: "latin1",
  UNICODE: "unicode_escape",
  SHORT_BINUNICODE: "utf8",
  BINUNICODE: "utf8",
  BINUNICODE8: "utf8",
  SHORT_BINBYTES: "latin1",
  BINBYTES: "latin1",
};

/** Longest string that is passed on. */
const MAX_PASSED_BYTES = 256;

/** Searches the strings of a pickle for credentials. Of a dictionary, the key comes before its value. */
export class StringSearch {
  readonly #search: SecretSearch;
  readonly #onText: (text: string) => void;
  /** The string before, if it is short enough for a name. */
  #name: string | undefined;

  /** @param onText Receives every short string. */
  constructor(onFound: (signal: Signal) => void, onText: (text: string) => void) {
    this.#onText = onText;
    this.#search = new SecretSearch(
      "A string of the pickle",
      ({ position = 0, ...finding }) => onFound({ ...finding, name: "Credential", position }),
    );
  }

  /** Adds the constant that an instruction pushes. */
  add({ opcode, window, from, length, at }: Instruction): void {
    const codec = CODECS[opcode.name];
    const isBinary = opcode.name === "SHORT_BINBYTES" || opcode.name === "BINBYTES";
    if (codec === undefined || length > (isBinary ? MAX_BINARY_BYTES : MAX_TEXT_BYTES)) return;
    const bytes = window.bytes(from, length);
    // Names and most credentials are ASCII, which takes a fraction of the time.
    const isShort = length <= MAX_NAME_BYTES && (codec === "utf8" || codec === "latin1");
    const text = isShort ? decodeLatin1(bytes) : decodeText(bytes, codec);
    this.#search.add(text, at, this.#name);
    if (length <= MAX_PASSED_BYTES && !isBinary) this.#onText(text);
    this.#name = length <= MAX_NAME_BYTES ? text : undefined;
  }

  /** Searches what remains. */
  finish(): void {
    this.#search.finish();
  }
}
