import type { ResourceEntry } from "../../../../schemas/resources.ts";
import type { StatEntry } from "../../../../schemas/verdicts.ts";
import { pastActions } from "../past/menu.ts";
import { askForLink } from "./share.ts";
import { call } from "../shared/api.ts";
import { goTo } from "../shared/router.ts";
import { may, shownAt } from "../shared/session.ts";
import type { MenuItem } from "../ui/menu.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";
import { askToDelete, askToRename, askWhereTo } from "./actions.ts";
import { download, type KnownVerdicts } from "./download.ts";
import { startScan } from "./start_scan.ts";

/**
 * What can be done with entries, as far as the person may: the same in a row and on the page of a file.
 *
 * @param verdicts Those that are known.
 * @param isBlocked Whether the gate is known to block the file.
 */
export function entryActions(
  entries: readonly ResourceEntry[],
  { verdicts, isBlocked = false }: {
    readonly verdicts: KnownVerdicts;
    readonly isBlocked?: boolean;
  },
): MenuItem[] {
  const [first, ...others] = entries;
  if (first === undefined) return [];
  const alone = others.length === 0 ? first : undefined;
  const file = alone?.is_dir === false ? alone : undefined;
  const [mayRead, mayEdit] = [may("resources.download"), may("resources.edit")];
  const items: (MenuItem | false | undefined)[] = [
    mayRead && !isBlocked && {
      label: "Download",
      icon: "download",
      run: () => void download(entries, verdicts),
    },
    mayEdit && alone && {
      label: "Rename",
      icon: "pencil",
      key: "F2",
      run: () => askToRename(alone),
    },
    mayEdit && { label: "Move", icon: "move", run: () => askWhereTo("move", entries) },
    mayEdit && { label: "Copy", icon: "copy", run: () => askWhereTo("copy", entries) },
    // A link serves what is there now.
    mayRead && file && !isBlocked && shownAt.value === undefined &&
    { label: "Share", icon: "link", run: () => askForLink(file.path) },
    mayRead && may("scans.run") && alone && {
      label: "Scan",
      icon: "scans",
      run: () => void startScan(alone.path),
    },
    ...(alone ? pastActions(alone.path) : []),
    alone && { label: "Copy path", icon: "copy", run: () => void copyText(alone.path, "path") },
    file && { label: "Copy digest", icon: "copy", run: () => copyDigest(file.path) },
    may("resources.delete") && {
      label: "Delete",
      icon: "trash",
      key: "Delete",
      isDanger: true,
      run: () => askToDelete(entries),
    },
  ];
  return items.filter((it) => it !== false && it !== undefined);
}

/** The menu of a row: what opens it, and what can be done. */
export function rowActions(
  entries: readonly ResourceEntry[],
  verdicts: KnownVerdicts,
): MenuItem[] {
  const [first, ...others] = entries;
  if (first === undefined) return [];
  const open: MenuItem = {
    label: "Open",
    icon: first.is_dir ? "folder" : "file",
    key: "Enter",
    run: () => goTo(first.is_dir ? "files" : "file", first.path),
  };
  return [...(others.length === 0 ? [open] : []), ...entryActions(entries, { verdicts })];
}

async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(`Copied the ${what}`);
  } catch {
    // Browsers permit it by https and on the same host only.
    toast(`The browser refused to copy the ${what}: ${text}`, { isError: true });
  }
}

function copyDigest(path: string): void {
  call<StatEntry>("GET", "/resources/stat", { query: { path } }).then(
    ({ sha256 }) =>
      sha256 === null
        ? toast("Its digest is not yet computed. Try again later.", { isError: true })
        : copyText(sha256, "SHA-256"),
    (error) => toast(messageOf(error), { isError: true }),
  );
}
