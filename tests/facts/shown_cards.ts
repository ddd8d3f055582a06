import "../support/page_location.ts";
import { fileURLToPath } from "node:url";
import { lexer } from "marked";
import * as v from "valibot";
import { seededRandom } from "../support/random.ts";

// Their types are those of pages. Imported by a constant name, they would be those of all tests.
const PREVIEW = new URL("../../routes/console/app/preview/", import.meta.url).href;
const { Code } = v.parse(v.object({ Code: v.function() }), await import(`${PREVIEW}code.ts`));
const { Markdown } = v.parse(
  v.object({ Markdown: v.function() }),
  await import(`${PREVIEW}markdown.ts`),
);
/** What a component has made. */
const Element = v.object({ type: v.unknown(), props: v.record(v.string(), v.unknown()) });

/** What is put into cards: the beginnings, ends and parts of markup, links and images. */
const PIECES = [
  ...["<script>top.ran=1</script>", "<img src=x onerror=top.ran=1>", "<svg/onload=top.ran=1>"],
  ...[
    "<iframe srcdoc='<script>'>",
    "<style>@import '//elsewhere.example'</style>",
    "<base href=//e>",
  ],
  ...[
    "![a](https://elsewhere.example/a.png)",
    "![a](//elsewhere.example/a)",
    "![a](data:text/html,x)",
  ],
  ...["[a](javascript:top.ran=1)", "[a](JaVa\tScript:top.ran=1)", "[a](data:text/html,<script>)"],
  ...[
    "[a](vbscript:x)",
    "[a](&#106;avascript:x)",
    "[a](https://elsewhere.example)",
    "[a](../../..)",
  ],
  ...[
    "<https://elsewhere.example>",
    "<javascript:x>",
    "[a]: javascript:x\n\n[a]",
    "](",
    "![",
    "[[",
  ],
  ...[
    "<!--",
    "-->",
    "<",
    ">",
    '"',
    "'",
    "`",
    "```html\n",
    "~~~\n",
    "\n---\n",
    "\n| a |\n|--|\n",
    "\0",
  ],
  ...[
    "\n- ",
    "\n> ",
    "\n    ",
    "\n# ",
    "**",
    "__",
    "&lt;script&gt;",
    "&#x3c;",
    "\\",
    "\u202e",
    "\ud800",
  ],
];
/** All that a card is made of, and what those have. */
const ELEMENTS = new Set(
  ("div h3 h4 h5 h6 p blockquote hr br strong em del code ul ol li table thead tbody tr th td a " +
    "span").split(" "),
);
const ATTRIBUTES = new Set(
  "class href title target rel role aria-label tabIndex scope start children".split(" "),
);

/** A card that says something. */
export const CARD = Deno.readTextFileSync(
  fileURLToPath(new URL("../fixtures/models/huggingface/model/README.md", import.meta.url)),
);

/** Shows mutations of a card, and returns what of them is more than text, and links that say where they lead. */
export function mutatedCards(card: string, mutations: number, seed: number): string[] {
  const random = seededRandom(seed);
  const wrong: string[] = [];
  for (let index = 0; index < mutations; index++) {
    let text = card;
    for (let change = 0; change <= random(12); change++) {
      const at = random(text.length + 1);
      const piece = PIECES[random(PIECES.length)] ?? "";
      text = text.slice(0, at) + piece + text.slice(at + random(4));
    }
    for (const found of wrongIn(text)) wrong.push(`card ${index}: ${found}`);
  }
  return wrong;
}

/** What a document is shown with, and should not be. */
export function wrongIn(text: string): string[] {
  return [...wrongOf(Markdown({ text, directory: "models/a/b", parse: lexer }))];
}

function* wrongOf(child: unknown): Generator<string> {
  if (Array.isArray(child)) {
    for (const each of child) yield* wrongOf(each);
    return;
  }
  if (typeof child !== "object" || child === null) return;
  if (!v.is(Element, child)) {
    yield `an object ${JSON.stringify(child)}`;
    return;
  }
  const { type, props } = child;
  // It shows its text in lines.
  if (type === Code) return;
  if (typeof type !== "string" || !ELEMENTS.has(type)) yield `a <${type}>`;
  for (const name of Object.keys(props)) {
    if (!ATTRIBUTES.has(name)) yield `${name} of <${type}>`;
  }
  const { href, rel } = props;
  const isOwn = typeof href === "string" && href.startsWith("#/");
  const leads = typeof href === "string" && /^(?:https?:\/\/|mailto:)/.test(href) &&
    rel === "noopener noreferrer";
  if (href !== undefined && !isOwn && !leads) yield `a link to ${href}`;
  yield* wrongOf(props.children);
}
