import { h, type TargetedEvent } from "preact";
import type { ScanEntry } from "../../../../schemas/scans.ts";
import { call } from "../shared/api.ts";
import { goTo } from "../shared/router.ts";
import { ask } from "../ui/dialog.ts";
import { messageOf } from "../ui/states.ts";
import { toast } from "../ui/toasts.ts";

/** Asks what to scan, and starts. */
export function askForScan(): void {
  const wanted = { path: "", weights: false };
  ask({
    title: "New scan",
    action: "Start",
    body: () => [
      h(
        "label",
        { key: "path", class: "field" },
        h("span", null, "Path of a file or folder"),
        h("input", {
          type: "text",
          required: true,
          autofocus: true,
          autocomplete: "off",
          spellcheck: false,
          placeholder: "models/llama",
          onInput: (event: TargetedEvent<HTMLInputElement>) =>
            wanted.path = event.currentTarget.value,
        }),
      ),
      h(
        "label",
        { key: "weights", class: "check" },
        h("input", {
          type: "checkbox",
          onChange: (event: TargetedEvent<HTMLInputElement>) =>
            wanted.weights = event.currentTarget.checked,
        }),
        "Analyze the values of tensors, too (slower)",
      ),
    ],
    run: async () => {
      const { path, weights } = wanted;
      const scan = await call<ScanEntry>("POST", "/scans/", { json: { path, weights } });
      goTo("scans", String(scan.id));
    },
  });
}

/** Cancels a scan that waits or runs. Says why if that fails. */
export async function cancel({ id }: ScanEntry): Promise<void> {
  try {
    await call("DELETE", `/scans/${id}`);
    toast(`Cancelled scan ${id}`);
  } catch (error) {
    toast(messageOf(error), { isError: true });
  }
}

/** Asks, and removes a scan that ended, with its report. */
export function askToRemove({ id }: ScanEntry): void {
  ask({
    title: `Remove scan ${id}?`,
    action: "Remove",
    kind: "danger",
    body: () => h("p", null, "Its report is removed as well. Verdicts on files stay."),
    run: async () => {
      await call("DELETE", `/scans/${id}`);
      toast(`Removed scan ${id}`);
      goTo("scans");
    },
  });
}
