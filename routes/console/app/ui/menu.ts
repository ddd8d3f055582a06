import { type ComponentChild, h } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { place } from "../shared/router.ts";
import { session } from "../shared/session.ts";
import { Store, useStore } from "../shared/store.ts";
import { Icon, type IconName } from "./icon.ts";
import { isLetter } from "./type_ahead.ts";

/** A line of a menu. */
export interface MenuItem {
  readonly label: string;
  readonly icon: IconName;
  /** The key that does the same, as a person reads it. */
  readonly key?: string;
  readonly isDanger?: boolean;
  readonly run: () => void;
}

/** Where a menu opens: pixels from the upper left corner of what is seen. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
}

interface OpenMenu {
  /** What it is about, for screen readers. */
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly at: MenuPlace;
  /** What has the focus again at the end. */
  readonly opener: Element | null;
}

const open = new Store<OpenMenu | undefined>(undefined);
session.subscribe(() => open.set(undefined));
place.subscribe(() => open.set(undefined));

/** Opens a menu, which takes the focus and gives it back. */
export function openMenu({ label, items, at }: Omit<OpenMenu, "opener">): void {
  if (items.length === 0) return;
  // The former menu has the focus until it is gone.
  const opener = open.value?.opener ?? document.activeElement;
  open.set({ label, items, at, opener });
}

/** The place below an element. */
export function below(element: Element): MenuPlace {
  const { left, bottom } = element.getBoundingClientRect();
  return { x: left, y: bottom };
}

/** The menu, if one is open. */
export function Menus(): ComponentChild {
  const menu = useStore(open);
  return menu === undefined ? null : h(Menu, { menu });
}

function close(menu: OpenMenu): void {
  open.set(undefined);
  if (menu.opener instanceof HTMLElement) menu.opener.focus({ preventScroll: true });
}

function Menu({ menu }: { readonly menu: OpenMenu }): ComponentChild {
  const { label, items, at } = menu;
  const list = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const box = list.current;
    if (box === null) return;
    const { offsetWidth: width, offsetHeight: height } = box;
    box.style.left = `${Math.max(4, Math.min(at.x, innerWidth - width - 4))}px`;
    box.style.top = `${Math.max(4, Math.min(at.y, innerHeight - height - 4))}px`;
    box.querySelector("button")?.focus();
  }, [menu]);
  useEffect(() => {
    const end = (event: Event) => {
      const isWithin = event.target instanceof Node && list.current?.contains(event.target);
      if (!isWithin) open.set(undefined);
    };
    // A click elsewhere gives the focus to what is there.
    addEventListener("pointerdown", end);
    addEventListener("blur", end);
    return () => {
      removeEventListener("pointerdown", end);
      removeEventListener("blur", end);
    };
  }, []);
  return h(
    "div",
    {
      ref: list,
      class: "menu",
      role: "menu",
      "aria-label": label,
      onKeyDown: (event: KeyboardEvent) => onKey(event, menu, list.current),
      onContextMenu: (event: Event) => event.preventDefault(),
    },
    items.map((item) =>
      h(
        "button",
        {
          key: item.label,
          type: "button",
          role: "menuitem",
          tabIndex: -1,
          class: item.isDanger === true ? "menu-item is-danger" : "menu-item",
          ...(item.key !== undefined && { "aria-keyshortcuts": item.key }),
          onClick: () => {
            close(menu);
            item.run();
          },
        },
        h(Icon, { name: item.icon }),
        h("span", null, item.label),
        item.key !== undefined && h("kbd", { "aria-hidden": "true" }, item.key),
      )
    ),
  );
}

function onKey(event: KeyboardEvent, menu: OpenMenu, list: HTMLElement | null): void {
  const { key } = event;
  event.stopPropagation();
  if (key === "Escape" || key === "Tab") {
    event.preventDefault();
    return close(menu);
  }
  const buttons = [...list?.querySelectorAll("button") ?? []];
  const at = buttons.findIndex((it) => it === document.activeElement);
  const next = nextIndex(event, at, menu.items);
  if (next === undefined) return;
  event.preventDefault();
  buttons.at(next)?.focus();
}

/** The line that a key leads to: arrows go around, letters to the next one that begins with them. */
function nextIndex(
  event: KeyboardEvent,
  at: number,
  items: readonly MenuItem[],
): number | undefined {
  const { length } = items;
  switch (event.key) {
    case "ArrowDown":
      return (at + 1) % length;
    case "ArrowUp":
      return (at - 1 + length) % length;
    case "Home":
      return 0;
    case "End":
      return length - 1;
  }
  if (!isLetter(event)) return undefined;
  const begins = ({ label }: MenuItem) => label.toLowerCase().startsWith(event.key.toLowerCase());
  for (let step = 1; step <= length; step++) {
    const index = (at + step) % length;
    if (items.slice(index, index + 1).some(begins)) return index;
  }
}
