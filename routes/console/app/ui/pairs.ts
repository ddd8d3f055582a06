import { type ComponentChild, type ComponentChildren, h } from "preact";

/** Names with their values. */
export function Facts(
  { facts }: { readonly facts: readonly (readonly [name: string, value: ComponentChildren])[] },
): ComponentChild {
  return h(
    "dl",
    { class: "facts" },
    facts.map(([name, value]) =>
      h("div", { key: name }, h("dt", null, name), h("dd", null, value))
    ),
  );
}

/** A group with a heading, as a region that screen readers list. */
export function Card(
  { title, children, actions }: {
    readonly title: string;
    readonly actions?: ComponentChildren;
    readonly children?: ComponentChildren;
  },
): ComponentChild {
  const id = `card-${title.replaceAll(/\W+/g, "-")}`;
  return h(
    "section",
    { class: "card part", "aria-labelledby": id, tabIndex: -1 },
    h("header", { class: "part-head" }, h("h2", { id }, title), actions),
    children,
  );
}
