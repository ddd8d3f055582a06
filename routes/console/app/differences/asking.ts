import { type ComponentChild, h, type TargetedEvent } from "preact";
import type { HistoryEntry, HistoryList } from "../../../../schemas/history.ts";
import { FolderPicker } from "../files/folder_picker.ts";
import { call } from "../shared/api.ts";
import { time } from "../shared/format.ts";
import { nameOf } from "../shared/paths.ts";
import { linkWith } from "../shared/router.ts";
import { keepsHistory } from "../shared/session.ts";
import { ask } from "../ui/dialog.ts";
import { Await, useLoaded } from "../ui/loaded.ts";

/** Changes whose versions are offered. */
const OFFERED = "100";

/** What to compare with: another folder, or what it was before a version. */
interface Wanted {
  path: string;
  at: string;
}

/** Asks with what to compare a folder: with what it was, or with another one. */
export function askWhatToCompare(path: string): void {
  const wanted: Wanted = { path: "", at: "" };
  ask({
    title: `Compare “${nameOf(path)}” with`,
    action: "Compare",
    body: () => h(Form, { path, wanted }),
    run: () => {
      const { path: other, at } = wanted;
      if (other === "" && at === "") {
        return Promise.reject(new Error("Choose a former version or another folder"));
      }
      location.hash = other === ""
        ? linkWith("differences", path, { from_at: at })
        : linkWith("differences", path, { from: other });
      return Promise.resolve();
    },
  });
}

function Form(
  { path, wanted }: { readonly path: string; readonly wanted: Wanted },
): ComponentChild {
  return [
    keepsHistory() && h(Versions, { key: "versions", path, wanted }),
    h("p", { key: "or" }, keepsHistory() ? "Or another folder:" : "Another folder:"),
    h(FolderPicker, { key: "folder", onPick: (picked) => void (wanted.path = picked) }),
  ];
}

function Versions(
  { path, wanted }: { readonly path: string; readonly wanted: Wanted },
): ComponentChild {
  const loading = useLoaded((signal) => changesOf(path, signal), [path]);
  return h(Await<readonly HistoryEntry[]>, {
    loading,
    what: "versions",
    children: (changes) =>
      h(
        "label",
        { class: "field" },
        h("span", null, "What it was"),
        h(
          "select",
          {
            onChange: ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
              wanted.at = currentTarget.value,
          },
          h("option", { value: "" }, "None"),
          changes.map(({ version, time: at, message }) =>
            h(
              "option",
              { key: version, value: String(version - 1) },
              `Before ${time(at)}${message === null ? "" : `: ${message}`}`,
            )
          ),
        ),
      ),
  });
}

/** The first change of each version, newest first. */
async function changesOf(path: string, signal: AbortSignal): Promise<readonly HistoryEntry[]> {
  const query = { path, limit: OFFERED };
  const { items } = await call<HistoryList>("GET", "/resources/history", { query, signal });
  const versions = new Map(items.map((it) => [it.version, it]));
  return [...versions.values()];
}
