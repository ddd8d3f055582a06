import { type ComponentChild, type ComponentChildren, h } from "preact";
import { linkTo } from "../shared/router.ts";
import { Icon } from "../ui/icon.ts";

/** The head of a page about the past, with the way back to a folder or file. */
export function Head(
  { title, back, children }: {
    readonly title: ComponentChildren;
    /** The folder that the page leads back to. "" is the top folder. */
    readonly back: string;
    readonly children?: ComponentChildren;
  },
): ComponentChild {
  return h(
    "header",
    { class: "page-head" },
    h(
      "div",
      { class: "page-title" },
      h(
        "a",
        { href: linkTo("files", back), class: "back" },
        h(Icon, { name: "back" }),
        h("bdi", null, back === "" ? "Top folder" : back),
      ),
      h("h1", null, title),
    ),
    h("div", { class: "actions" }, children),
  );
}
