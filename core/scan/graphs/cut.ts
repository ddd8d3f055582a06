const SHOWN_CHARACTERS = 100;

/** A text out of a file as it may be shown: on one line, and cut short. */
export function cut(text: string): string {
  const start = text.slice(0, SHOWN_CHARACTERS).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "\ufffd");
  return text.length > SHOWN_CHARACTERS ? `${start}…` : start;
}
