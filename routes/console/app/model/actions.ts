import { type ComponentChild, h } from "preact";
import type { StatEntry } from "../../../../schemas/verdicts.ts";
import { askWhatToCompare } from "../differences/asking.ts";
import { download } from "../files/download.ts";
import { call } from "../shared/api.ts";
import { linkTo } from "../shared/router.ts";
import { keepsHistory, may, shownAt } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { verdictsBelow } from "./verdicts.ts";

/** What can be done with a model, and what leads to its versions. */
export function Actions({ path }: { readonly path: string }): ComponentChild {
  if (shownAt.value !== undefined) return null;
  return [
    may("resources.download") && h(Button, {
      key: "download",
      label: "Download",
      icon: "download",
      kind: "primary",
      onClick: () => {
        downloadAll(path).catch((error) => toast(messageOf(error), { isError: true }));
      },
    }),
    may("resources.download") && h(Button, {
      key: "compare",
      label: "Compare with…",
      icon: "file",
      onClick: () => askWhatToCompare(path),
    }),
    keepsHistory() && h(
      "a",
      { key: "versions", class: "button", href: linkTo("history", path) },
      h(Icon, { name: "wait" }),
      h("span", null, "Versions"),
    ),
  ];
}

/** Has the browser save the whole model. Asks before, if a file of it is dangerous. */
async function downloadAll(path: string): Promise<void> {
  const entry = await call<StatEntry>("GET", "/resources/stat", { query: { path } });
  const [worst] = await verdictsBelow(path);
  await download([entry], new Map(worst === undefined ? [] : [[entry.id, worst]]));
}
