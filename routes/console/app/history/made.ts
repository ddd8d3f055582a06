import { type ComponentChild, h } from "preact";
import { ago, time } from "../shared/format.ts";
import { userLabel } from "../shared/session.ts";

/** When something was done, and by whom. */
export function Made(
  { at, user }: { readonly at: string; readonly user: number | null },
): ComponentChild {
  return h(
    "div",
    null,
    h("time", { dateTime: at, title: time(at) }, ago(at)),
    user !== null && h("div", { class: "muted" }, "by ", h("bdi", null, userLabel(user))),
  );
}
