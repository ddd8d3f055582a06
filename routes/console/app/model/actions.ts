import { type ComponentChild, h } from "preact";
import type { StatEntry, VerdictEntry } from "../../../../schemas/verdicts.ts";
import { askWhatToCompare } from "../differences/asking.ts";
import { download } from "../files/download.ts";
import { SeeWhy } from "../files/download_buttons.ts";
import { call } from "../shared/api.ts";
import { goTo, linkTo } from "../shared/router.ts";
import { keepsHistory, may, shownAt } from "../shared/session.ts";
import { Button } from "../ui/button.ts";
import { Icon } from "../ui/icon.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import { verdictsBelow } from "./verdicts.ts";

/** What can be done with a model, and what leads to its versions. Where a scan has found danger, why comes first. */
export function Actions(
  { path, files }: {
    readonly path: string;
    /** The worst first. Undefined until they are known. */
    readonly files: readonly VerdictEntry[] | undefined;
  },
): ComponentChild {
  if (shownAt.value !== undefined) return null;
  const dangerous = files?.filter(({ verdict }) => verdict === "dangerous") ?? [];
  const [worst] = dangerous;
  return [
    worst !== undefined &&
    h(VerdictBadge, { key: "verdict", verdict: worst.verdict, files: dangerous.length }),
    worst !== undefined && h(SeeWhy, { key: "why", onClick: () => goTo("file", worst.path) }),
    may("resources.download") && h(Button, {
      key: "download",
      label: "Download",
      icon: "download",
      kind: files !== undefined && worst === undefined ? "primary" : "plain",
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
