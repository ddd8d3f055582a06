import { type ComponentChild, h } from "preact";
import { useRef, useState } from "preact/hooks";
import type { DeviceEntry } from "../../../schemas/sign_in.ts";
import { ownCall } from "./shared/api.ts";
import { goTo } from "./shared/router.ts";
import { Ago } from "./ui/ago.ts";
import { Button } from "./ui/button.ts";
import { Await, useLoaded } from "./ui/loaded.ts";
import { messageOf } from "./ui/states.ts";

/** Has the person decide about a machine that waits with a code (C 27). */
export function DeviceLogin({ code }: { readonly code: string }): ComponentChild {
  return h(
    "main",
    { class: "sign-in" },
    h(
      "div",
      { class: "card" },
      h("h1", { class: "brand" }, "Log in a machine"),
      code === "" ? h(CodeForm, null) : h(Decision, { key: code, code }),
    ),
  );
}

function CodeForm(): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  return h(
    "form",
    {
      onSubmit: (event: Event) => {
        event.preventDefault();
        goTo("login", (field.current?.value ?? "").trim());
      },
    },
    h(
      "label",
      { class: "field" },
      h("span", null, "The code that strongroom login shows"),
      h("input", {
        ref: field,
        type: "text",
        required: true,
        autofocus: true,
        autocomplete: "off",
        spellcheck: false,
        maxLength: 20,
        placeholder: "WDJB-MJHT",
      }),
    ),
    h(Button, { label: "Go on", kind: "primary", type: "submit" }),
  );
}

function Decision({ code }: { readonly code: string }): ComponentChild {
  const address = `/logins/${encodeURIComponent(code)}`;
  const device = useLoaded(() => ownCall<DeviceEntry>("GET", address), [code]);
  const [outcome, setOutcome] = useState<string>();
  const decide = async (approve: boolean) => {
    try {
      await ownCall("POST", address, { approve });
      setOutcome(approve ? "The machine is logged in." : "The machine was refused.");
    } catch (error) {
      setOutcome(messageOf(error));
    }
  };
  if (outcome !== undefined) {
    return [
      h("p", { key: "outcome", role: "status" }, outcome),
      h(Button, {
        key: "on",
        label: "To the files",
        kind: "primary",
        onClick: () => goTo("files"),
      }),
    ];
  }
  return h(Await<DeviceEntry>, {
    loading: device,
    what: "the machine",
    children: ({ machine, address: from, created_at: since }) => [
      h(
        "p",
        { key: "what" },
        "“",
        h("bdi", null, machine),
        `” (${from ?? "address unknown"}) has asked `,
        h(Ago, { key: "since", at: since }),
        `, with the code ${code}.`,
      ),
      h(
        "p",
        { key: "why" },
        "It gets a credential that may do what you may do. Approve it only if you have just run ",
        h("code", null, "strongroom login"),
        " there, and see the same code.",
      ),
      h(
        "div",
        { key: "decide", class: "buttons" },
        h(Button, { label: "Approve", kind: "primary", onClick: () => void decide(true) }),
        h(Button, { label: "Refuse", onClick: () => void decide(false) }),
      ),
    ],
  });
}
