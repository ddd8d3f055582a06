import { type ComponentChild, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SignInFailure } from "../../../schemas/sign_in.ts";
import { signIn } from "./shared/api.ts";
import { goOn, place } from "./shared/router.ts";
import { goToProvider, loadMeans, signInWithPasskey } from "./shared/passkeys.ts";
import { Button } from "./ui/button.ts";
import { CopiedLine } from "./ui/copied_line.ts";
import { useLoaded } from "./ui/loaded.ts";
import { messageOf } from "./ui/states.ts";

/** Why the provider has sent nobody back, as the address says it. */
const FAILURES: Readonly<Record<SignInFailure, string>> = {
  disabled: "You have been disabled here: ask an administrator.",
  refused: "What the provider sent back was not accepted: try again.",
  unavailable: "The provider cannot be reached: try again later.",
};

/** Says it once. */
function providerFailure(): string | undefined {
  const { room, path } = place.value;
  if (room !== "sign-in") return undefined;
  goOn("files");
  return Object.entries(FAILURES).find(([kind]) => kind === path)?.[1];
}

/** Takes a credential. The server keeps it in a cookie that no script can read (C 24). */
export function SignIn({ reason }: { readonly reason: string | undefined }): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [isShown, setShown] = useState(false);
  const means = useLoaded((signal) => loadMeans(signal), []).state;
  const hasPasskeys = means.kind === "loaded" && means.data.passkeys;
  const provider = means.kind === "loaded" ? means.data.provider : null;
  const [failure] = useState(providerFailure);
  // Browsers heed an autofocus once only, and a person may come here again.
  useEffect(() => field.current?.focus(), []);
  const attempt = async (enter: () => Promise<void>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await enter();
    } catch (error) {
      setBusy(false);
      setProblem(messageOf(error));
      field.current?.focus();
    }
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const credential = (field.current?.value ?? "").trim().replace(/^bearer +/i, "");
    await attempt(() => signIn(credential));
  };
  return h(
    "main",
    { class: "sign-in" },
    h(
      "form",
      { class: "card", onSubmit: submit },
      h("h1", { class: "brand" }, "strongroom"),
      reason !== undefined &&
        h("p", { class: "banner", role: "status" }, `${reason}. Sign in again to go on.`),
      failure !== undefined && h("p", { class: "field-problem", role: "alert" }, failure),
      provider !== null && h(Button, {
        label: `Sign in by ${provider}`,
        kind: "primary",
        disabled: isBusy,
        onClick: () => void attempt(goToProvider),
      }),
      hasPasskeys && h(Button, {
        label: "Sign in with a passkey",
        icon: "shield",
        kind: "primary",
        disabled: isBusy,
        onClick: () => void attempt(signInWithPasskey),
      }),
      (hasPasskeys || provider !== null) && h("p", { class: "muted" }, "Or with a credential:"),
      // Password managers keep a secret under a name. A credential says itself whose it is.
      h("input", {
        type: "text",
        name: "username",
        autocomplete: "username",
        value: "strongroom",
        readOnly: true,
        hidden: true,
      }),
      h(
        "div",
        { class: "secret" },
        h(
          "label",
          { class: "field" },
          h("span", null, "Credential"),
          h("input", {
            ref: field,
            type: isShown ? "text" : "password",
            name: "password",
            required: true,
            autocomplete: "current-password",
            spellcheck: false,
            "aria-describedby": "credential-help",
            "aria-invalid": problem !== undefined,
          }),
        ),
        h(Button, { label: "Show", pressed: isShown, onClick: () => setShown(!isShown) }),
      ),
      problem !== undefined && h("p", { class: "field-problem", role: "alert" }, problem),
      h(Button, {
        label: "Sign in",
        kind: hasPasskeys || provider !== null ? "plain" : "primary",
        type: "submit",
        disabled: isBusy,
      }),
      h(
        "p",
        { class: "muted", id: "credential-help" },
        "A credential says whose files you see and what you may do with them. ",
        "You stay signed in until you sign out or close the browser.",
      ),
      h(
        "details",
        null,
        h("summary", null, "Where does one come from?"),
        h(
          "p",
          null,
          "Somebody who has one can make another in Access. The first one is made where the ",
          "server runs; this one is for everything in the files of user 1, for 30 days:",
        ),
        h(CopiedLine, {
          what: "makes one",
          line: "strongroom token --user 1 --admin --ttl 30d",
        }),
      ),
    ),
  );
}
