import { type ComponentChild, h, type TargetedEvent } from "preact";
import type { ConsoleSession } from "../../../schemas/console.ts";
import type { TeamEntry } from "../../../schemas/people.ts";
import { ApiError, call } from "./shared/api.ts";
import { goToTree } from "./shared/router.ts";
import {
  currentTree,
  holds,
  knownTrees,
  noteTree,
  shownTree,
  treeLabel,
} from "./shared/session.ts";
import { useStore } from "./shared/store.ts";
import { askText } from "./ui/dialog.ts";

/** What administrators choose to name another user. */
const ANOTHER = "another";

/** Whose tree is shown: a choice where the credential has one (C 19). Administrators have that of all trees. */
export function TreeChoice({ session }: { readonly session: ConsoleSession }): ComponentChild {
  useStore(shownTree);
  const { user_id: own, user_name: name } = session;
  const current = currentTree() ?? own;
  const trees = new Set([...knownTrees(session), current]);
  const isAdministrator = holds("resources.admin");
  const nameOf = (tree: number) => tree === own ? name ?? `User ${tree}` : treeLabel(tree);
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
    label: "Name or number of its user or team",
    action: "Show",
    run: async (typed) => goToTree(await numberOf(typed.trim())),
  });
}

/** The number of the user or team with a name. A number stands for itself. */
async function numberOf(wanted: string): Promise<number> {
  if (/^[1-9]\d{0,15}$/.test(wanted)) return Number(wanted);
  const find = async (list: "users" | "teams") => {
    const address = `/${list}/${encodeURIComponent(wanted)}`;
    const { number, name } = await call<TeamEntry>("GET", address, { inTree: false });
    noteTree(number, name);
    return number;
  };
  try {
    return await find("users");
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 404)) throw error;
    return await find("teams");
  }
}
