import { type ComponentChild, type ComponentChildren, h } from "preact";
import { ApiError } from "../shared/api.ts";
import { Button } from "./button.ts";
import { Icon, type IconName } from "./icon.ts";

/** What a place shows when it has no content: why, and what to do. */
export function Notice(
  { icon, title, children, alert = false, isPage = false }: {
    readonly icon: IconName;
    readonly title: string;
    readonly alert?: boolean;
    /** Whether it stands for the whole page, so that its title is that of the page. @default false */
    readonly isPage?: boolean;
    readonly children?: ComponentChildren;
  },
): ComponentChild {
  return h(
    "div",
    { class: "notice", role: alert ? "alert" : "status" },
    h("div", { class: "notice-icon" }, h(Icon, { name: icon })),
    h(isPage ? "h1" : "h2", { class: "notice-title" }, title),
    children,
  );
}

/** Shown while data is on its way. It appears after a moment, so that fast replies do not flicker. */
export function Loading({ what }: { readonly what: string }): ComponentChild {
  return h(
    "div",
    { class: "loading", role: "status" },
    h("span", { class: "spinner", "aria-hidden": "true" }),
    h("span", null, `Loading ${what}…`),
  );
}

/** A request that failed. */
export function Problem(
  { error, retry, isPage = false }: {
    readonly error: unknown;
    readonly retry?: () => void;
    /** As that of {@link Notice}. @default false */
    readonly isPage?: boolean;
  },
): ComponentChild {
  const again = retry && h(Button, { label: "Try again", onClick: retry });
  if (error instanceof ApiError && error.status === 403) {
    return h(
      Notice,
      { icon: "shield", title: "Your credential does not permit this", alert: true, isPage },
      h("p", null, error.message),
    );
  }
  const isOffline = error instanceof ApiError && error.isOffline;
  return h(
    Notice,
    {
      icon: "alert",
      title: isOffline ? "The server cannot be reached" : "That did not work",
      alert: true,
      isPage,
    },
    h("p", null, isOffline ? "Check the connection. Nothing is lost." : messageOf(error)),
    again,
  );
}

/** What an error says to people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
