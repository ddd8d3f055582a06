import { type ComponentChild, h } from "preact";
import { Button } from "./button.ts";
import { toast } from "./toasts.ts";

/** A line for a terminal, with a button that copies it. */
export function CopiedLine(
  { line, what }: {
    readonly line: string;
    /** What the line does, for screen readers. */
    readonly what: string;
  },
): ComponentChild {
  return h(
    "div",
    { class: "copied-line" },
    h("code", null, line),
    h(Button, {
      label: "Copy",
      icon: "copy",
      iconOnly: true,
      kind: "quiet",
      describes: `the line that ${what}`,
      onClick: () => void copy(line),
    }),
  );
}

/** By http, other hosts than this one give a page no clipboard. */
async function copy(line: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(line);
    toast("Copied the line");
  } catch {
    toast("The browser refused: select the line and copy it", { isError: true });
  }
}
