import { h, type TargetedEvent } from "preact";
import type { WaiverEntry } from "../../../../schemas/verdicts.ts";
import { call } from "../shared/api.ts";
import { ask } from "../ui/dialog.ts";
import { toast } from "../ui/toasts.ts";

/** Asks why, and lets content through whatever its verdict is (C 18). */
export function askForWaiver(sha256: string, then: () => void): void {
  const wanted = { sha256, reason: "", until: "" };
  ask({
    title: "Waive the verdict",
    action: "Let it through",
    kind: "danger",
    body: () => [
      h(
        "p",
        { key: "what" },
        "Every file with this content can be downloaded, whatever scans find. The audit log keeps who " +
          "did this, and why.",
      ),
      sha256 === "" && h(
        "label",
        { key: "sha256", class: "field" },
        h("span", null, "SHA-256 of the content"),
        h("input", {
          type: "text",
          required: true,
          pattern: "[0-9a-fA-F]{64}",
          autocomplete: "off",
          spellcheck: false,
          onInput: (event) => wanted.sha256 = event.currentTarget.value.toLowerCase(),
        }),
      ),
      h(
        "label",
        { key: "reason", class: "field" },
        h("span", null, "Reason"),
        h("textarea", {
          required: true,
          maxLength: 1000,
          rows: 3,
          autofocus: sha256 !== "",
          onInput: (event: TargetedEvent<HTMLTextAreaElement>) =>
            wanted.reason = event.currentTarget.value,
        }),
      ),
      h(
        "label",
        { key: "until", class: "field" },
        h("span", null, "Until (for ever if left empty)"),
        h("input", {
          type: "date",
          onInput: (event) => wanted.until = event.currentTarget.value,
        }),
      ),
    ],
    run: async () => {
      await call<WaiverEntry>("POST", "/waivers/", {
        inTree: false,
        json: {
          sha256: wanted.sha256,
          reason: wanted.reason.trim(),
          // Through the last second of that day, where the person is.
          ...(wanted.until !== "" && {
            expires_at: new Date(`${wanted.until}T23:59:59`).toISOString(),
          }),
        },
      });
      toast("The content is let through");
      then();
    },
  });
}

/** Asks, and removes a waiver. */
export function askToRemoveWaiver({ id, reason }: WaiverEntry, then: () => void): void {
  ask({
    title: "Remove the waiver?",
    action: "Remove",
    kind: "danger",
    body: () =>
      h(
        "p",
        null,
        "The verdict of the content counts again. Its reason was: ",
        h("q", null, reason),
      ),
    run: async () => {
      await call("DELETE", `/waivers/${id}`, { inTree: false });
      toast("Removed the waiver");
      then();
    },
  });
}
