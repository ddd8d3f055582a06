import { type ComponentChild, h } from "preact";
import { Card } from "../ui/pairs.ts";

/** Stands for what the credential does not permit: what is missing, and why no shared tree helps, if so. */
export function HiddenCard(
  { title, privilege, reason }: {
    readonly title: string;
    readonly privilege: string;
    readonly reason: string;
  },
): ComponentChild {
  return h(
    Card,
    { title },
    h(
      "p",
      { class: "muted" },
      "Your credential lacks the privilege ",
      h("code", null, privilege),
      `. ${reason}`,
    ),
  );
}
