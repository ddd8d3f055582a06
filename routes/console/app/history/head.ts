import { type ComponentChild, type ComponentChildren, h } from "preact";
import { linkTo } from "../shared/router.ts";
import { Icon } from "../ui/icon.ts";

/** The head of a page about the past, with the way back to a folder or file. */
export function Head(
  { title, back, isCompact = false, children }: {
    readonly title: ComponentChildren;
    /** What the page leads back to: a folder, of which "" is the top folder, or another place. */
    readonly back: string | { readonly href: string; readonly label: string };
    /** Whether a phone shows actions by their icons alone. @default false */
    readonly isCompact?: boolean;
    readonly children?: ComponentChildren;
  },
): ComponentChild {
  const { href, label } = typeof back === "string"
    ? { href: linkTo("files", back), label: back === "" ? "Top folder" : back }
    : back;
  return h(
    "header",
    { class: "page-head" },
    h(
      "div",
      { class: "page-title" },
      h(
        "a",
        { href, class: "back" },
        h(Icon, { name: "back" }),
        h("bdi", null, label),
      ),
      h("h1", null, title),
    ),
    h("div", { class: isCompact ? "actions" : "actions worded" }, children),
  );
}
