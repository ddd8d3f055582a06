import { options } from "preact";
import { printableText } from "../../../../schemas/printable.ts";

/** The attributes that browsers show or read out. */
const SHOWN = ["title", "aria-label", "placeholder"];

/**
 * Makes all text that is shown one that hides nothing: what changes the direction of text, or has no width, is
 * escaped, as the command line does (C 24). Fields that a person edits have what is there. Call it once.
 */
export function escapeShownText(): void {
  options.vnode = (node) => {
    const { type, props }: { readonly type: unknown; readonly props: unknown } = node;
    // A text is a node without a type.
    if (typeof props === "string") Object.assign(node, { props: printableText(props) });
    else if (typeof type === "string") Object.assign(node.props, shownAttributes(node.props));
  };
}

/** Sets the title of the page, which hides nothing either. */
export function showTitle(title: string): void {
  document.title = printableText(title);
}

function shownAttributes(props: object): Record<string, string> {
  const given = Object.entries(props).filter(([name]) => SHOWN.includes(name));
  return Object.fromEntries(
    given.flatMap(([name, value]) =>
      typeof value === "string" ? [[name, printableText(value)]] : []
    ),
  );
}
