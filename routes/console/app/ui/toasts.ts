import { type ComponentChild, h } from "preact";
import { session } from "../shared/session.ts";
import { Store, useStore } from "../shared/store.ts";
import { Button } from "./button.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  /** Takes back what has happened. */
  readonly undo?: (() => void) | undefined;
}

/** How long a message is shown, in milliseconds. One about an error stays until it is closed. */
const SHOWN_MS = 5000;
/** How long one is shown that can be taken back. */
const UNDO_MS = 15_000;
const MAX_SHOWN = 4;

const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;
session.subscribe(() => {
  if (session.value.kind !== "signedIn") toasts.set([]);
});

/** Tells the person about something that has happened. @param undo Takes it back, while the message is shown. */
export function toast(
  text: string,
  { isError = false, undo }: {
    readonly isError?: boolean;
    readonly undo?: (() => void) | undefined;
  } = {},
): void {
  const id = ++lastId;
  toasts.set([...toasts.value.slice(1 - MAX_SHOWN), { id, text, isError, undo }]);
  if (!isError) setTimeout(() => close(id), undo === undefined ? SHOWN_MS : UNDO_MS);
}

/** Takes back what a message tells of, once. */
function undoOne({ id, undo }: Toast): void {
  close(id);
  undo?.();
}

addEventListener("keydown", (event) => {
  const { key, ctrlKey, metaKey, shiftKey, target } = event;
  if (key !== "z" || !(ctrlKey || metaKey) || shiftKey) return;
  if (target instanceof Element && target.closest("input, textarea, dialog") !== null) return;
  const last = toasts.value.findLast(({ undo }) => undo !== undefined);
  if (last === undefined) return;
  event.preventDefault();
  undoOne(last);
});

function close(id: number): void {
  toasts.set(toasts.value.filter((it) => it.id !== id));
}

/** The messages. Screen readers read new ones out. */
export function Toasts(): ComponentChild {
  return h(
    "div",
    { class: "toasts", role: "status", "aria-live": "polite" },
    useStore(toasts).map((shown) => {
      const { id, text, isError, undo } = shown;
      return h(
        "div",
        { key: id, class: isError ? "toast toast-error" : "toast" },
        h("span", null, text),
        undo !== undefined &&
          h(Button, { label: "Undo", kind: "quiet", onClick: () => undoOne(shown) }),
        h(Button, {
          label: "Close message",
          icon: "close",
          iconOnly: true,
          kind: "quiet",
          onClick: () => close(id),
        }),
      );
    }),
  );
}
