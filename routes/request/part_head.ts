import { Buffer } from "node:buffer";
import { decodeExtended, parse } from "content-disposition";
import { quoted } from "../../core/errors.ts";
import { unreadable } from "./body.ts";

/** What the head of a part of a form says. */
export interface Disposition {
  readonly name: string | undefined;
  /** The file name as sent; undefined if the part is not a file. */
  readonly filename: string | undefined;
}

/** A parameter of a header value. A quoted value ends at the next quote (RFC 7578). */
const PARAMETER = /;[ \t]*[^\s=;"]+[ \t]*=[ \t]*(?:(?:"[^"]*"|[^\s;"]+)[ \t]*)?/y;
/** Stands for a file name that cannot be read. No valid name contains it (C 4). */
const UNREADABLE_NAME = '"';

/**
 * Parses the head of a part: the rest of the boundary's line, then the headers.
 *
 * @param head As Latin-1 characters, each a byte.
 * @throws {AppError} `ErrResourcesInvalidRequest` when it is not the head of a form's part.
 */
export function dispositionOf(head: string): Disposition {
  const [line, ...headers] = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  if (line?.trim() !== "") throw unreadable("form", "a boundary does not end its line");
  for (const header of headers) {
    const [, value] = /^content-disposition[ \t]*:(.*)$/is.exec(header) ?? [];
    if (value === undefined) continue;
    const { type, parameters } = parse(value, { multipart: true, extended: false });
    if (type !== "form-data") {
      throw unreadable("form", `the disposition of a part is ${quoted(type)}, not form-data`);
    }
    return { name: utf8(parameters.name), filename: fileNameOf(value, parameters) };
  }
  throw unreadable("form", "a part has no Content-Disposition");
}

function fileNameOf(
  value: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string | undefined {
  // The parser returns what precedes a flaw, which is another name or none.
  if (!isWellFormed(value)) return /filename/i.test(value) ? UNREADABLE_NAME : undefined;
  const plain = utf8(parameters.filename);
  // RFC 7578, 4.2 does not allow it in forms, but some clients send only this name.
  const extended = parameters["filename*"];
  if (extended === undefined) return plain;
  return decodeExtended(extended) ?? plain ?? UNREADABLE_NAME;
}

/**
 * Whether a header value is a word with well-formed parameters. Matches one parameter after the other:
 * one expression for all of them would take exponential time on some values.
 */
function isWellFormed(value: string): boolean {
  const [word = ""] = /^[^;"]*/.exec(value) ?? [];
  let end = word.length;
  for (;;) {
    PARAMETER.lastIndex = end;
    if (!PARAMETER.test(value)) break;
    end = PARAMETER.lastIndex;
  }
  return /^;?[ \t]*$/.test(value.slice(end));
}

/**
 * The text whose UTF-8 bytes were read as Latin-1. If they are not UTF-8, the result ends in an unpaired
 * surrogate, which no valid name contains (C 4).
 */
function utf8(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const decoded = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const intact = Buffer.compare(Buffer.from(decoded), bytes) === 0;
  return intact ? decoded : `${decoded}\ud800`;
}
