import { type ComponentChild, h } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Language } from "./language.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** About as many characters are laid out and marked at once. */
const BLOCK_CHARACTERS = 16_384;
/** How far below what is seen the text is marked already. */
const MARGIN = "1000px";

interface Block {
  readonly text: string;
  /** By places in the text of the block. */
  readonly tokens: readonly Token[];
}

/** A text as it is. What it hides is shown, as in all texts; its language is marked where the person looks. */
export function Code(
  { text, language, label }: {
    readonly text: string;
    readonly language: Language | undefined;
    readonly label: string;
  },
): ComponentChild {
  const blocks = useMemo(() => blocksOf(text, language), [text, language]);
  return h(
    "div",
    { class: "preview-text", role: "group", "aria-label": label, tabIndex: 0 },
    h("pre", null, blocks.map((block, index) => h(CodeBlock, { key: index, block }))),
  );
}

function CodeBlock({ block: { text, tokens } }: { readonly block: Block }): ComponentChild {
  const element = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (isSeen || element.current === null) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setSeen(true),
      { rootMargin: MARGIN },
    );
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return h("code", { ref: element, dir: "ltr" }, isSeen ? marked(text, tokens) : text);
}

function marked(text: string, tokens: readonly Token[]): ComponentChild[] {
  const parts: ComponentChild[] = [];
  let at = 0;
  for (const { start, end, kind } of tokens) {
    if (start > at) parts.push(text.slice(at, start));
    parts.push(h("span", { key: start, class: `token-${kind}` }, text.slice(start, end)));
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}

/** Cuts a text after lines, or within those that are longer than a block. */
function blocksOf(text: string, language: Language | undefined): Block[] {
  const tokens = language === undefined ? [] : [...tokensOf(text, language)];
  const blocks: Block[] = [];
  let next = 0;
  for (let start = 0; start < text.length;) {
    const line = text.indexOf("\n", start + BLOCK_CHARACTERS);
    const isNear = line !== -1 && line < start + 2 * BLOCK_CHARACTERS;
    const end = isNear ? line + 1 : Math.min(text.length, start + 2 * BLOCK_CHARACTERS);
    const own: Token[] = [];
    for (let token = tokens[next]; token !== undefined && token.start < end; token = tokens[next]) {
      own.push({
        kind: token.kind,
        start: Math.max(token.start, start) - start,
        end: Math.min(token.end, end) - start,
      });
      // One that goes on is also in the next block.
      if (token.end > end) break;
      next++;
    }
    blocks.push({ text: text.slice(start, end), tokens: own });
    start = end;
  }
  return blocks;
}
