const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/** The depth of the items in `{"status":…,"data":{"items":[…]}}`, in braces. */
const ITEM_DEPTH = 3;

/**
 * The items of a list in an envelope, while it arrives: neither the text nor the work for it at once grows
 * with the list.
 */
export async function* jsonItems<T>(body: ReadableStream<Uint8Array>): AsyncGenerator<T[]> {
  const decoder = new TextDecoder();
  const cutter = new ItemCutter();
  for await (const chunk of chunksOf(body)) {
    const texts = cutter.cut(decoder.decode(chunk, { stream: true }));
    if (texts.length > 0) yield JSON.parse(`[${texts.join()}]`);
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel();
  }
}

/** Cuts the items out of the text of a list. */
class ItemCutter {
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** The beginning of an item that has yet to end. */
  #rest = "";

  /** The items that end in this piece of text. */
  cut(piece: string): string[] {
    const items: string[] = [];
    let start = this.#depth >= ITEM_DEPTH ? 0 : -1;
    for (let at = 0; at < piece.length; at++) {
      const code = piece.charCodeAt(at);
      if (this.#inString) this.#inText(code);
      else if (code === QUOTE) this.#inString = true;
      else if (code === OPEN_BRACE) {
        if (++this.#depth === ITEM_DEPTH) start = at;
      } else if (code === CLOSE_BRACE && this.#depth-- === ITEM_DEPTH) {
        items.push(this.#rest + piece.slice(start, at + 1));
        this.#rest = "";
        start = -1;
      }
    }
    if (start >= 0) this.#rest += piece.slice(start);
    return items;
  }

  #inText(code: number): void {
    if (this.#escaped) this.#escaped = false;
    else if (code === BACKSLASH) this.#escaped = true;
    else if (code === QUOTE) this.#inString = false;
  }
}
