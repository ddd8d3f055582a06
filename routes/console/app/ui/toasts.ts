import { type ComponentChild, h } from "preact";
import { session } from "../shared/session.ts";
import { Store, useStore } from "../shared/store.ts";
import { Button } from "./button.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

/** How long a message is shown, in milliseconds. One about an error stays until it is closed. */
const SHOWN_MS = 5000;
const MAX_SHOWN = 4;

const toasts = new Store<readonly Toast[]>([]);
let lastId = 0;
session.subscribe(() => {
  if (session.value.kind !== "signedIn") toasts.set([]);
});

/** Tells the person about something that has happened. */
export function toast(text: string, { isError = false } = {}): void {
  const id = ++lastId;
  toasts.set([...toasts.value.slice(1 - MAX_SHOWN), { id, text, isError }]);
  if (!isError) setTimeout(() => close(id), SHOWN_MS);
}

function close(id: number): void {
  toasts.set(toasts.value.filter((it) => it.id !== id));
}

/** The messages. Screen readers read new ones out. */
export function Toasts(): ComponentChild {
  return h(
    "div",
    { class: "toasts", role: "status", "aria-live": "polite" },
    useStore(toasts).map(({ id, text, isError }) =>
      h(
        "div",
        { key: id, class: isError ? "toast toast-error" : "toast" },
        h("span", null, text),
        h(Button, {
          label: "Close message",
          icon: "close",
          iconOnly: true,
          kind: "quiet",
          onClick: () => close(id),
        }),
      )
    ),
  );
}
