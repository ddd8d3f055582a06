import { type ComponentChild, type ComponentChildren, h } from "preact";

/** The numbers of a picture as a table, for whoever asks for it. */
export function AsTable({ children }: { readonly children?: ComponentChildren }): ComponentChild {
  return h(
    "details",
    { class: "as-table" },
    h("summary", null, "Show as table"),
    children,
  );
}
