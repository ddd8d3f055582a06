import { type ComponentChild, h } from "preact";
import { linkWith, place } from "../shared/router.ts";
import { currentTree, mayIn, shownAt } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { askToRestore } from "./asking.ts";
import { nameOfState } from "./words.ts";

/** Says that what is shown was, and leads back to what is. */
export function PastBanner(): ComponentChild {
  const { room, path } = useStore(place);
  const at = useStore(shownAt);
  if (at === undefined) return null;
  return h(
    "div",
    { class: "banner past-banner", role: "region", "aria-label": "The past" },
    h(Icon, { name: "wait" }),
    h(
      "span",
      null,
      "As of ",
      h("bdi", null, nameOfState(at)),
      ". Nothing can be changed here.",
    ),
    h("a", { class: "button", href: linkWith(room, path, {}) }, "Back to now"),
    path !== "" && mayIn(currentTree(), "resources.edit") &&
      h(Button, { label: "Restore…", onClick: () => askToRestore(path, at) }),
  );
}
