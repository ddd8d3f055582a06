import { type ComponentChild, h } from "preact";
import { useState } from "preact/hooks";
import { acceptInvitation, type OpenInvitation, openInvitation } from "./shared/passkeys.ts";
import { Button } from "./ui/button.ts";
import { Await, useLoaded } from "./ui/loaded.ts";
import { messageOf } from "./ui/states.ts";

/** Has an invited person make a passkey, and signs it in (C 27). */
export function Invitation({ token }: { readonly token: string }): ComponentChild {
  const invitation = useLoaded(() => openInvitation(token), [token]);
  return h(
    "main",
    { class: "sign-in" },
    h(
      "div",
      { class: "card" },
      h("h1", { class: "brand" }, "strongroom"),
      h(Await<OpenInvitation>, {
        loading: invitation,
        what: "the invitation",
        children: ({ name }) => h(Welcome, { name, token }),
      }),
    ),
  );
}

function Welcome(
  { name, token }: { readonly name: string; readonly token: string },
): ComponentChild {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const accept = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      // What has been used is not to be in the history.
      await acceptInvitation(token);
      location.replace("#/files");
    } catch (error) {
      setBusy(false);
      setProblem(messageOf(error));
    }
  };
  return [
    h("p", { key: "who" }, "Welcome, ", h("strong", null, h("bdi", null, name)), "."),
    h(
      "p",
      { key: "why" },
      "You sign in here with a passkey: a key that this device, your phone or a security key keeps, and " +
        "that your finger, face or PIN opens. There is no password.",
    ),
    problem !== undefined &&
    h("p", { key: "problem", class: "field-problem", role: "alert" }, problem),
    h(Button, {
      key: "make",
      label: "Make a passkey",
      icon: "shield",
      kind: "primary",
      disabled: isBusy,
      onClick: () => void accept(),
    }),
  ];
}
