import { h, type TargetedEvent } from "preact";
import type { InferOutput } from "valibot";
import type { NewLinkEntry } from "../../../../schemas/links.ts";
import { call } from "../shared/api.ts";
import { nameOf } from "../shared/paths.ts";
import { ask } from "../ui/dialog.ts";
import { toast } from "../ui/toasts.ts";

/** How long a link may count, in words and as the API takes it. */
const PERIODS: readonly (readonly [words: string, period: string])[] = [
  ["1 hour", "1h"],
  ["1 day", "1d"],
  ["7 days", "7d"],
  ["30 days", "30d"],
];

/** Asks how long, and makes a link that needs no credential (C 19). */
export function askForLink(path: string): void {
  const wanted = { expires_in: "7d", once: false };
  ask({
    title: `Share “${nameOf(path)}”`,
    action: "Make a link",
    body: () => [
      h("p", { key: "what" }, "Who has the link can download the file without a credential."),
      h(
        "label",
        { key: "period", class: "field" },
        h("span", null, "The link ends after"),
        h(
          "select",
          {
            autofocus: true,
            onChange: (event: TargetedEvent<HTMLSelectElement>) =>
              wanted.expires_in = event.currentTarget.value,
          },
          PERIODS.map(([words, period]) =>
            h("option", { key: period, value: period, selected: period === "7d" }, words)
          ),
        ),
      ),
      h(
        "label",
        { key: "once", class: "check" },
        h("input", {
          type: "checkbox",
          onChange: (event) => wanted.once = event.currentTarget.checked,
        }),
        "It serves one download only",
      ),
    ],
    run: async () => {
      const { url } = await call<InferOutput<typeof NewLinkEntry>>("POST", "/links/", {
        json: { path, ...wanted },
      });
      // The dialog that asked closes first.
      setTimeout(() => showLink(url));
    },
  });
}

function showLink(url: string): void {
  ask({
    title: "The link",
    action: "Copy",
    body: () => [
      h("p", { key: "what" }, "It is shown once: the server keeps only its hash."),
      h(
        "label",
        { key: "url", class: "field" },
        h("span", null, "Address"),
        h("input", { type: "text", readOnly: true, autofocus: true, value: url }),
      ),
    ],
    run: async () => {
      try {
        await navigator.clipboard.writeText(url);
      } catch (cause) {
        throw new Error("The browser refused: select the address and copy it", { cause });
      }
      toast("Copied the link");
    },
  });
}
