import { type ComponentChild, h, type TargetedEvent } from "preact";
import type { PasskeyEntry } from "../../../../schemas/sign_in.ts";
import { ownCall } from "../shared/api.ts";
import { addPasskey, ownName } from "../shared/passkeys.ts";
import { Ago } from "../ui/ago.ts";
import { Button } from "../ui/button.ts";
import { ask } from "../ui/dialog.ts";
import { Await, useLoaded } from "../ui/loaded.ts";
import { Card } from "../ui/pairs.ts";
import { useRefresh } from "../ui/refresh.ts";
import { Rows } from "../ui/rows.ts";
import { toast } from "../ui/toasts.ts";

interface Passkeys {
  readonly items: readonly PasskeyEntry[];
}

/** The passkeys of the person who is signed in (C 27). */
export function PasskeysCard(): ComponentChild {
  const passkeys = useLoaded(() => ownCall<Passkeys>("GET", "/passkeys"), []);
  useRefresh(passkeys);
  return h(
    Card,
    {
      title: "Passkeys",
      actions: h(Button, {
        label: "New passkey",
        icon: "plus",
        onClick: () => askForPasskey(passkeys.reload),
      }),
    },
    h(
      "p",
      { class: "muted" },
      "You sign in with any of them. Have two, on two devices: who loses the last one has to be invited again.",
    ),
    h(Await<Passkeys>, {
      loading: passkeys,
      what: "the passkeys",
      children: ({ items }) =>
        items.length === 0 ? h("p", { class: "muted" }, "You have none.") : h(Rows<PasskeyEntry>, {
          label: "Passkeys",
          rows: items,
          keyOf: ({ id }) => id,
          columns: [
            { title: "Passkey", cell: ({ label }) => h("bdi", null, label) },
            {
              title: "Made",
              cell: ({ created_at: made }) => h(Ago, { at: made }),
            },
            {
              title: "Last used",
              cell: ({ last_used_at: used }) => used === null ? "Never" : h(Ago, { at: used }),
            },
            {
              title: "Remove",
              cell: (passkey) =>
                h(Button, {
                  label: "Remove",
                  describes: passkey.label,
                  onClick: () => askToRemove(passkey, items.length, passkeys.reload),
                }),
            },
          ],
        }),
    }),
  );
}

function askForPasskey(then: () => void): void {
  const wanted = { label: ownName() };
  ask({
    title: "New passkey",
    action: "Make it",
    body: () =>
      h(
        "label",
        { class: "field" },
        h("span", null, "What you call it"),
        h("input", {
          type: "text",
          required: true,
          maxLength: 100,
          autofocus: true,
          autocomplete: "off",
          defaultValue: wanted.label,
          onInput: (event: TargetedEvent<HTMLInputElement>) =>
            wanted.label = event.currentTarget.value,
        }),
      ),
    run: async () => {
      await addPasskey(wanted.label);
      toast("Made the passkey");
      then();
    },
  });
}

function askToRemove({ id, label }: PasskeyEntry, count: number, then: () => void): void {
  ask({
    title: "Remove this passkey?",
    action: "Remove",
    kind: "danger",
    body: () =>
      h(
        "p",
        null,
        "“",
        h("bdi", null, label),
        "” signs nobody in any more.",
        count === 1 &&
          " It is your only one: without another way in, you have to be invited again.",
      ),
    run: async () => {
      await ownCall("DELETE", `/passkeys/${id}`);
      toast("Removed the passkey");
      then();
    },
  });
}
