import { type ComponentChild, h } from "preact";

/** The paths of icons in a square of 16, drawn with a line of 1.5. */
const PATHS = {
  access: "M5.5 10.5a3 3 0 1 1 2.6-4.5H14v2.5h-1.5V10H10V8.5H8.1a3 3 0 0 1-2.6 2Z M5.5 7.5h0",
  alert: "M8 2 1.5 13.5h13L8 2Z M8 6.5v3.5 M8 12h0",
  back: "M10 3 5 8l5 5",
  capacity: "M2.5 11.5a5.5 5.5 0 1 1 11 0 M8 11.5l2.5-4",
  check: "m3 8.5 3.5 3.5L13 4.5",
  chevron: "m6 3.5 4.5 4.5L6 12.5",
  close: "m3.5 3.5 9 9 M12.5 3.5l-9 9",
  copy: "M5.5 5.5h8v8h-8z M10.5 5.5v-3h-8v8h3",
  cross: "m5 5 6 6 M11 5l-6 6",
  dots: "M3 8h0 M8 8h0 M13 8h0",
  down: "m3.5 6 4.5 4.5L12.5 6",
  download: "M8 2v8 M4.5 7 8 10.5 11.5 7 M2.5 13.5h11",
  file: "M4 1.75h5L12.5 5v9.25h-8.5z M8.75 1.75V5.5h3.75",
  folder: "M1.75 3.5h4.5l1.5 2h6.5v7.75H1.75z",
  folderPlus: "M1.75 3.5h4.5l1.5 2h6.5v7.75H1.75z M8 7.5v4 M6 9.5h4",
  link:
    "M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.4-2.4a2.5 2.5 0 0 0-3.6-3.6l-.9.9 M9.5 6.5a2.5 2.5 0 0 0-3.6 0L3.5 8.9a2.5 2.5 0 0 0 3.6 3.6l.9-.9",
  minus: "M4 8h8",
  mirror: "M8 2v12 M5.5 4.5 2 11.5h3.5z M10.5 4.5l3.5 7h-3.5z",
  move: "M2 8h11 M9.5 4.5 13 8l-3.5 3.5",
  pause: "M5.5 3.5v9 M10.5 3.5v9",
  pencil: "m10.5 2.5 3 3-8 8h-3v-3z",
  play: "M5 3v10l8-5z",
  plus: "M8 3.5v9 M3.5 8h9",
  question: "M5.5 6a2.5 2.5 0 1 1 3.4 2.3c-.6.3-.9.7-.9 1.4 M8 12.2h0",
  rows: "M2.5 4h11 M2.5 8h11 M2.5 12h11",
  scans: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Z m3.6-1.4 3.4 3.4",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Z m3.6-1.4 3.4 3.4",
  shield: "M8 1.75 2.75 3.5v4c0 3.2 2.2 5.6 5.25 6.75 3.05-1.15 5.25-3.55 5.25-6.75v-4z",
  signOut: "M6 2.5H2.5v11H6 M6 8h7.5 M10.5 5l3 3-3 3",
  storage: "M2.5 2.5h11v11h-11z M8.5 2.5v11 M8.5 8h5",
  tag: "M2.5 2.5h5.5l5.5 5.5-5.5 5.5L2.5 8z M5.25 5.25h0",
  trash: "M2.5 4.5h11 M6 4.5v-2h4v2 M4 4.5l.7 9h6.6l.7-9",
  up: "m3.5 10.5 4.5-4.5 4.5 4.5",
  upload: "M8 10.5v-8 M4.5 6 8 2.5 11.5 6 M2.5 13.5h11",
  wait: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Z M8 5v3.5l2 1.5",
} as const;

export type IconName = keyof typeof PATHS;

/** A picture beside words that say the same: it is hidden from screen readers. */
export function Icon({ name }: { readonly name: IconName }): ComponentChild {
  return h(
    "svg",
    { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    h("path", { d: PATHS[name] }),
  );
}
