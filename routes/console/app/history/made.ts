import { type ComponentChild, h } from "preact";
import { userLabel } from "../shared/session.ts";
import { Ago } from "../ui/ago.ts";

/** When something was done, and by whom. */
export function Made(
  { at, user }: { readonly at: string; readonly user: number | null },
): ComponentChild {
  return h(
    "div",
    null,
    h(Ago, { at }),
    user !== null && h("div", { class: "muted" }, "by ", h("bdi", null, userLabel(user))),
  );
}
