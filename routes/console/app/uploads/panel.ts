import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { bytes, duration, plural } from "../shared/format.ts";
import { ownTree, treeLabel } from "../shared/session.ts";
import { useStore } from "../shared/store.ts";
import { Announced } from "../ui/announced.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { VerdictBadge } from "../ui/verdict.ts";
import { nameOf } from "../shared/paths.ts";
import { cancelAll, cancelUpload, clearEnded, pauseUpload, resumeUpload } from "./queue.ts";
import { ConflictActions, WhatIsThere } from "./conflict.ts";
import { resumeFolder } from "./rest.ts";
import { resumeByHandle, resumeWith } from "./resume.ts";
import type { Transfer, UploadItem } from "./transfer.ts";
import { isUploading, unfinished, uploads, type UploadsState } from "./transfers.ts";

/** Of more files, those that need attention are shown first. */
const MAX_SHOWN = 30;
const ATTENTION: readonly UploadItem["state"][] = [
  "held",
  "exists",
  "failed",
  "unfinished",
  "waiting",
  "sending",
  "paused",
  "checking",
  "queued",
  "done",
];

/** The uploads, with their progress. */
export function UploadPanel(): ComponentChild {
  const state = useStore(uploads);
  const [isOpen, setOpen] = useState(true);
  if (state.items.length === 0) return null;
  const isOver = state.items.every(({ state }) => ["done", "exists", "failed"].includes(state));
  const byState = Map.groupBy(state.items, ({ state }) => state);
  const shown = ATTENTION.flatMap((it) => (byState.get(it) ?? []).slice(0, MAX_SHOWN))
    .slice(0, MAX_SHOWN);
  const taken = byState.get("exists") ?? [];
  const stopped = new Map(unfinished().map((transfer) => [transfer.item.key, transfer]));
  return h(
    "section",
    { class: "uploads", "aria-label": "Uploads" },
    h(
      "div",
      { class: "uploads-head" },
      h("div", null, h("strong", null, titleOf(state)), h(Remaining, { state })),
      h(Announced, { words: titleOf(state) }),
      h(Button, {
        label: isOpen ? "Hide files" : "Show files",
        icon: isOpen ? "minus" : "dots",
        iconOnly: true,
        kind: "quiet",
        onClick: () => setOpen(!isOpen),
      }),
      isOver
        ? h(Button, {
          label: "Close uploads",
          icon: "close",
          iconOnly: true,
          kind: "quiet",
          onClick: clearEnded,
        })
        : h(Button, { label: "Cancel all", kind: "quiet", onClick: askToCancelAll }),
    ),
    h(Progress, { label: "All uploads", ...totalsOf(state) }),
    isOpen && taken.length > 1 && h(
      "div",
      { class: "uploads-taken" },
      h(ConflictActions, { items: taken }),
    ),
    isOpen && stopped.size > 1 && h("div", { class: "uploads-taken" }, h(ResumeFolder, null)),
    isOpen && h(
      "ul",
      { class: "uploads-list" },
      shown.map((item) => h(UploadRow, { key: item.key, item, stopped: stopped.get(item.key) })),
      state.items.length > MAX_SHOWN &&
        h("li", { class: "muted" }, `and ${plural(state.items.length - MAX_SHOWN, "more file")}`),
    ),
  );
}

function askToCancelAll(): void {
  ask({
    title: "Stop all uploads?",
    action: "Stop all",
    kind: "danger",
    body: () => h("p", null, "What the server has of files that are not complete is removed."),
    run: () => {
      cancelAll();
      return Promise.resolve();
    },
  });
}

/** @param stopped What is known of the upload if it needs its file again. */
function UploadRow(
  { item, stopped }: { readonly item: UploadItem; readonly stopped: Transfer | undefined },
): ComponentChild {
  const { key, tree, path, size, state, sent } = item;
  const name = nameOf(path);
  const isMoving = ["sending", "waiting", "paused", "unfinished"].includes(state);
  const mustChoose = stopped?.handle === undefined;
  const action = (label: string, icon: "close" | "pause" | "play", onClick: () => void) =>
    h(Button, { label: `${label} ${name}`, icon, iconOnly: true, kind: "quiet", onClick });
  return h(
    "li",
    null,
    h(
      "div",
      { class: "uploads-file" },
      h(
        "span",
        { class: "uploads-name", title: path },
        tree === ownTree() ? null : `${treeLabel(tree)}: `,
        h("bdi", null, path),
      ),
      item.checked !== undefined && h(
        "span",
        { class: "uploads-checked" },
        "Checked here: ",
        h(VerdictBadge, { verdict: item.checked, detail: "What this browser found" }),
      ),
      h(
        "span",
        { class: `uploads-state state-${state} number` },
        state === "exists" ? h(WhatIsThere, item) : stateText(item, mustChoose),
      ),
      isMoving && h(Progress, { label: name, sent, size }),
    ),
    state === "held" && h(Button, { label: "Send anyway", onClick: () => resumeUpload(key) }),
    state === "exists" && h(ConflictActions, { items: [item] }),
    (state === "sending" || state === "waiting") &&
      action("Pause", "pause", () => pauseUpload(key)),
    stopped !== undefined && h(ResumeButton, { transfer: stopped }),
    (state === "paused" || state === "failed") && action("Resume", "play", () => resumeUpload(key)),
    state !== "done" && state !== "exists" && action("Cancel", "close", () => cancelUpload(key)),
  );
}

/** Goes on with an unfinished upload: by the file that was dropped, or by one that is chosen again. */
function ResumeButton({ transfer }: { readonly transfer: Transfer }): ComponentChild {
  const { item: { path }, handle } = transfer;
  const field = useRef<HTMLInputElement>(null);
  const label = `Choose ${nameOf(path)} again`;
  return [
    h("input", {
      key: "field",
      ref: field,
      type: "file",
      hidden: true,
      multiple: true,
      "aria-label": label,
      onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
        resumeWith([...currentTarget.files ?? []]);
        currentTarget.value = "";
      },
    }),
    h(Button, {
      key: "button",
      label: handle === undefined ? "Choose file" : "Resume",
      onClick: () => handle === undefined ? field.current?.click() : void resumeByHandle(transfer),
    }),
  ];
}

/** Goes on with all unfinished uploads whose files are in a folder that is chosen again. */
function ResumeFolder(): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  return [
    h("span", { key: "why" }, "The browser needs the files again"),
    h("input", {
      key: "field",
      ref: field,
      type: "file",
      hidden: true,
      webkitdirectory: true,
      "aria-label": "Choose the folder again",
      onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) => {
        resumeFolder([...currentTarget.files ?? []]);
        currentTarget.value = "";
      },
    }),
    h(Button, { key: "button", label: "Choose folder", onClick: () => field.current?.click() }),
  ];
}

/** @param mustChoose Whether only the person can say where the file is. */
function stateText(
  { state, sent, size, problem = "" }: UploadItem,
  mustChoose: boolean,
): string {
  switch (state) {
    case "checking":
      return `Is checked here – ${bytes(size)}`;
    case "held":
      return "Not sent. Send it anyway, or cancel it";
    case "queued":
      return `Waits for others – ${bytes(size)}`;
    case "sending":
      return `${bytes(sent)} of ${bytes(size)}`;
    case "waiting":
      return `${problem}. Trying again…`;
    case "paused":
      return `Paused at ${bytes(sent)} of ${bytes(size)}`;
    case "unfinished":
      return `Stopped at ${bytes(sent)} of ${bytes(size)}${
        mustChoose ? ". Choose the file again to resume" : ""
      }`;
    case "exists":
    case "failed":
      return problem;
    case "done":
      return `Done – ${bytes(size)}`;
  }
}

function Progress(
  { label, sent, size }: { readonly label: string; readonly sent: number; readonly size: number },
): ComponentChild {
  return h("progress", {
    "aria-label": label,
    max: Math.max(1, size),
    value: size === 0 ? 1 : sent,
  });
}

function Remaining({ state }: { readonly state: UploadsState }): ComponentChild {
  const { sent, size } = totalsOf(state);
  if (!isUploading() || state.rate < 1) return null;
  const left = duration((size - sent) / state.rate);
  return h("span", { class: "muted number" }, ` ${bytes(state.rate)}/s, ${left} left`);
}

function totalsOf({ items }: UploadsState): { sent: number; size: number } {
  const counted = items.filter(({ state }) => !["exists", "failed", "held"].includes(state));
  return {
    sent: counted.reduce((sum, { sent }) => sum + sent, 0),
    size: counted.reduce((sum, { size }) => sum + size, 0),
  };
}

function titleOf({ items }: UploadsState): string {
  const done = items.filter(({ state }) => state === "done").length;
  const open =
    items.filter(({ state }) => ["checking", "queued", "sending", "waiting"].includes(state))
      .length;
  if (open > 0) return `Uploading ${plural(open, "file")}`;
  const stopped = items.filter(({ state }) => state === "unfinished").length;
  if (stopped > 0) return plural(stopped, "unfinished upload");
  const others = items.length - done;
  return others === 0
    ? `Uploaded ${plural(done, "file")}`
    : `${plural(others, "file")} not uploaded`;
}
