import { h } from "preact";
import { useEffect } from "preact/hooks";
import { ask } from "./dialog.ts";

const KEYS: readonly (readonly [keys: readonly string[], does: string])[] = [
  [["↑", "↓"], "Go to another row"],
  [["A–Z"], "Go to the next name that begins with the letters"],
  [["Enter"], "Open"],
  [["Backspace"], "Open the folder above"],
  [["Space"], "Select, or not"],
  [["Shift", "↓"], "Select up to there"],
  [["Ctrl", "A"], "Select all"],
  [["Escape"], "Select nothing"],
  [["F2"], "Rename"],
  [["Delete"], "Delete"],
  [["Shift", "F10"], "Show what can be done with a row"],
  [["Ctrl", "V"], "Upload files from the clipboard"],
  [["Ctrl", "Z"], "Undo a move or a new name, while its message is shown"],
  [["/"], "Search"],
  [["?"], "Show the keys"],
];

/** Shows the keys when a person presses a question mark outside of a field. */
export function KeysHelp(): null {
  useEffect(() => {
    const show = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (key !== "?") return;
      if (target instanceof Element && target.matches("input, textarea, select")) return;
      if (document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      showKeys();
    };
    addEventListener("keydown", show);
    return () => removeEventListener("keydown", show);
  }, []);
  return null;
}

function showKeys(): void {
  ask({
    title: "Keys",
    action: "Close",
    isNotice: true,
    body: () =>
      h(
        "dl",
        { class: "keys" },
        KEYS.map(([keys, does]) => [
          h("dt", { key: `${does} keys` }, keys.map((key) => [h("kbd", { key }, key), " "])),
          h("dd", { key: does }, does),
        ]),
      ),
    run: () => Promise.resolve(),
  });
}
