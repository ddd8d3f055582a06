import { type ComponentChild, h } from "preact";
import type { ResourceEntry } from "../../../../schemas/resources.ts";
import { list } from "../shared/api.ts";
import { parentOf } from "../shared/paths.ts";
import { goOn } from "../shared/router.ts";
import { Button } from "../ui/button.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { nameOrder } from "../files/order.ts";
import { shownFiles } from "../files/shown_files.ts";

/** The buttons that lead to the files beside one, in the order of the list that was shown last. */
export function Neighbors({ path }: { readonly path: string }): ComponentChild {
  const go = (step: 1 | -1) => {
    neighborOf(path, step).then((neighbor) => {
      if (neighbor !== undefined) return goOn("file", neighbor);
      toast(step === 1 ? "This is the last file here" : "This is the first file here");
    }, (error) => toast(messageOf(error), { isError: true }));
  };
  return [
    h(Button, {
      key: -1,
      label: "Previous file",
      icon: "up",
      iconOnly: true,
      onClick: () => go(-1),
    }),
    h(Button, { key: 1, label: "Next file", icon: "down", iconOnly: true, onClick: () => go(1) }),
  ];
}

async function neighborOf(path: string, step: 1 | -1): Promise<string | undefined> {
  const shown = shownFiles();
  const files = shown.includes(path) ? shown : await filesBeside(path);
  const index = files.indexOf(path) + step;
  return index < 0 ? undefined : files[index];
}

/** The paths of the files in the same folder, by their names. */
async function filesBeside(path: string): Promise<string[]> {
  const folder = parentOf(path);
  const paths: string[] = [];
  const query = folder === "" ? {} : { path: folder };
  for await (const entries of list<ResourceEntry>("/resources/", { query })) {
    for (const entry of entries) {
      if (!entry.is_dir && parentOf(entry.path) === folder) paths.push(entry.path);
    }
  }
  return paths.sort(nameOrder(paths.length));
}
