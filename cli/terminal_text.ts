/** Escapes characters that control a terminal or change the direction of text. */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (it) => `\\u{${it.codePointAt(0)?.toString(16)}}`,
  );
}

/** A count with its noun, such as `1 file` or `1,200 files`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}
