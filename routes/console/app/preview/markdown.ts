import { type ComponentChild, h } from "preact";
import type { lexer, MarkedToken, Token, Tokens } from "marked";
import { decodeEntities } from "./entities.ts";
import { Code } from "./code.ts";
import { languageOf } from "./language.ts";
import { type Target, targetOf } from "./link_target.ts";

/** The parser, which browsers load with the first document. */
export type Parse = typeof lexer;

/** Deeper parts of a document are shown as they are written. */
const MAX_DEPTH = 40;
/** A document in a page, below the heading of its card. */
const HEADINGS_BELOW = 2;

/** Where the document is: links lead from there. */
interface Place {
  readonly directory: string;
  readonly depth: number;
}

/**
 * A document in Markdown. Its tokens become elements one by one, of the kinds that are named here: markup in it is shown
 * as text, its images are not loaded, and its links say where they lead.
 *
 * @throws {Error} when it cannot be read, as one that is nested too deeply.
 */
export function Markdown(
  { text, directory, parse }: {
    readonly text: string;
    readonly directory: string;
    readonly parse: Parse;
  },
): ComponentChild {
  return h(
    "div",
    { class: "markdown" },
    blocks(parse(text, { gfm: true }), { directory, depth: 0 }),
  );
}

function blocks(tokens: readonly Token[], place: Place): ComponentChild[] {
  return tokens.map((token, key) => element(token, key, place));
}

function element(generic: Token, key: number, place: Place): ComponentChild {
  if (place.depth > MAX_DEPTH) return generic.raw;
  const inner = (tokens: readonly Token[] | undefined) =>
    blocks(tokens ?? [], { ...place, depth: place.depth + 1 });
  // Without extensions, there are no other tokens.
  const token = generic as MarkedToken;
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "heading":
      return h(`h${Math.min(6, token.depth + HEADINGS_BELOW)}`, { key }, inner(token.tokens));
    case "paragraph":
      return h("p", { key }, inner(token.tokens));
    case "blockquote":
      return h("blockquote", { key }, inner(token.tokens));
    case "hr":
      return h("hr", { key });
    case "br":
      return h("br", { key });
    case "strong":
    case "em":
    case "del":
      return h(token.type, { key }, inner(token.tokens));
    case "codespan":
      return h("code", { key }, token.text);
    case "code": {
      const language = languageOf(token.lang ?? "");
      return h(Code, { key, text: token.text, language, label: "Code" });
    }
    case "list":
      return list(token, key, inner);
    case "list_item":
      return h("li", { key }, inner(token.tokens));
    case "checkbox":
      return token.checked ? "☑ " : "☐ ";
    case "table":
      return table(token, key, inner);
    case "link":
      return link(targetOf(token.href, place.directory), key, inner(token.tokens));
    case "image":
      return image(token, key, place);
    case "html":
      return h("code", { key, class: "markup" }, token.raw);
    case "escape":
      return token.text;
    case "text":
      return token.tokens === undefined ? decodeEntities(token.text) : inner(token.tokens);
  }
}

type Inner = (tokens: readonly Token[]) => ComponentChild[];

function list({ ordered, start, items }: Tokens.List, key: number, inner: Inner) {
  return h(
    ordered ? "ol" : "ul",
    { key, ...(ordered && start !== "" && { start }) },
    inner(items),
  );
}

function table({ header, rows }: Tokens.Table, key: number, inner: Inner): ComponentChild {
  const cells = (tag: "th" | "td", row: readonly Tokens.TableCell[]) =>
    row.map(({ tokens }, at) =>
      h(tag, { key: at, ...(tag === "th" && { scope: "col" }) }, inner(tokens))
    );
  return h(
    "div",
    { key, class: "markdown-table", role: "group", "aria-label": "Table", tabIndex: 0 },
    h(
      "table",
      null,
      h("thead", null, h("tr", null, cells("th", header))),
      h("tbody", null, rows.map((row, at) => h("tr", { key: at }, cells("td", row)))),
    ),
  );
}

function link(target: Target | undefined, key: number, content: ComponentChild[]): ComponentChild {
  if (target === undefined) return content;
  if (target.host === undefined) return h("a", { key, href: target.href }, content);
  return h(
    "a",
    {
      key,
      class: "elsewhere",
      href: target.href,
      title: target.href,
      target: "_blank",
      rel: "noopener noreferrer",
    },
    content,
    h("span", { class: "elsewhere-host" }, ` (${target.host})`),
  );
}

/** An image is not loaded. One of the same tree can be opened. */
function image({ href, text }: Tokens.Image, key: number, { directory }: Place): ComponentChild {
  const words = `Image: ${decodeEntities(text) || "without a description"}`;
  return h(
    "span",
    { key, class: "markdown-image" },
    link(targetOf(href, directory), 0, [words]),
  );
}
