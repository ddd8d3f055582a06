import { type ComponentChild, h, type TargetedEvent } from "preact";
import type { ConsoleSession } from "../../../schemas/console.ts";
import { goToTree } from "./shared/router.ts";
import { currentTree, holds, knownTrees, shownTree } from "./shared/session.ts";
import { useStore } from "./shared/store.ts";
import { askText } from "./ui/dialog.ts";

/** What administrators choose to name another user. */
const ANOTHER = "another";

/** Whose tree is shown: a choice where the credential has one (C 19). Administrators have that of all trees. */
export function TreeChoice({ session }: { readonly session: ConsoleSession }): ComponentChild {
  useStore(shownTree);
  const { user_id: own } = session;
  const current = currentTree() ?? own;
  const trees = new Set([...knownTrees(session), current]);
  const isAdministrator = holds("resources.admin");
  const nameOf = (tree: number) => tree === own ? `User ${tree}` : `Tree ${tree}`;
  if (trees.size === 1 && !isAdministrator) {
    return h("span", { class: "who muted" }, nameOf(own));
  }
  return h(
    "select",
    {
      class: "who",
      "aria-label": "Tree",
      value: String(current),
      onChange: ({ currentTarget }: TargetedEvent<HTMLSelectElement>) => {
        const { value } = currentTarget;
        if (value !== ANOTHER) return goToTree(Number(value));
        currentTarget.value = String(current);
        askForTree();
      },
    },
    [...trees].map((tree) => h("option", { key: tree, value: String(tree) }, nameOf(tree))),
    isAdministrator && h("option", { value: ANOTHER }, "Another tree…"),
  );
}

function askForTree(): void {
  askText({
    title: "Another tree",
    label: "Number of its user",
    action: "Show",
    run: (typed) => {
      const wanted = typed.trim();
      if (!/^[1-9]\d{0,15}$/.test(wanted)) {
        return Promise.reject(new Error("The number of a user is 1 or more"));
      }
      goToTree(Number(wanted));
      return Promise.resolve();
    },
  });
}
