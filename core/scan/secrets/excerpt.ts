import { redact } from "./find_secrets.ts";

/** How much of a text out of a file goes into a message, in characters. */
const LENGTH = 80;

/** How much of it is looked at, so that a credential at its cut end is known as one. */
const LOOKED_AT = 4096;

/** The beginning of a text out of a file, fit for a message: no credentials, no control characters. */
export function excerpt(text: string): string {
  const readable = redact(text.slice(0, LOOKED_AT)).replace(/[\p{C}\p{Z}]+/gu, " ").trim();
  const characters = [...readable];
  return characters.length <= LENGTH ? readable : characters.slice(0, LENGTH - 1).join("") + "…";
}
