import { place } from "../shared/router.ts";

/** What takes the focus by the keyboard. */
const CONTROLS =
  "a[href], button:not(:disabled), input:not(:disabled), select, summary, [tabindex='0']";

/** A place in the page: what it is in, and which child of that it is or is in. */
interface Spot {
  readonly parent: Element;
  readonly index: number;
}

let last: HTMLElement | undefined;
/** Where the focus was last outside of questions and menus, which give it back. From within. */
let trail: readonly Spot[] = [];
let wasDisabled = false;
let hasMoved = false;

/**
 * Keeps the focus where the person works when what has it goes away: what follows takes it, or else the list, or
 * else the page. Browsers leave it nowhere, where keys do nothing.
 */
export function keepFocus(): void {
  addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement) || target === document.body) return;
    last = target;
    wasDisabled = hasMoved = false;
    if (target.closest("dialog, .menu") === null) trail = trailOf(target);
  });
  // Who points elsewhere wants the focus to be nowhere.
  addEventListener("pointerdown", () => last = undefined, { capture: true });
  place.subscribe(() => hasMoved = true);
  new MutationObserver(keep).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled"],
  });
}

function keep(): void {
  if (last === undefined) return;
  if (last.isConnected && last.matches(":disabled")) wasDisabled = true;
  else if (document.activeElement === document.body) {
    if (!last.isConnected) (hasMoved ? pageFocus() : following())?.focus({ preventScroll: true });
    else if (wasDisabled) last.focus();
  }
}

function trailOf(element: Element): Spot[] {
  const spots: Spot[] = [];
  for (let child = element, parent = child.parentElement; parent !== null;) {
    spots.push({ parent, index: [...parent.children].indexOf(child) });
    [child, parent] = [parent, parent.parentElement];
  }
  return spots;
}

/** What comes after the place where the focus was, in the nearest part of the page that is left. */
function following(): HTMLElement | null {
  const left = trail.filter(({ parent }) => parent.isConnected);
  for (const [level, { parent, index }] of left.entries()) {
    if (parent.matches("main, .shell, body")) break;
    // In place of what is gone is what follows it.
    const start = level === 0 ? index : index + 1;
    const children = [...parent.children];
    const controls = [...parent.querySelectorAll<HTMLElement>(CONTROLS)];
    const after = controls.find((it) => children.findIndex((child) => child.contains(it)) >= start);
    if (after !== undefined) return after;
    const end = controls.at(-1);
    if (end !== undefined && parent.matches("ul, tbody, section")) return end;
  }
  return document.querySelector<HTMLElement>("#main .grid") ?? pageFocus();
}

function pageFocus(): HTMLElement | null {
  return document.getElementById("main");
}
