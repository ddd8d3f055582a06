import { type ComponentChild, h, type TargetedKeyboardEvent } from "preact";
import { useRef, useState } from "preact/hooks";
import { signIn } from "./shared/api.ts";
import { Button } from "./ui/button.ts";
import { messageOf } from "./ui/states.ts";

/** Takes a credential. The server keeps it in a cookie that no script can read (C 24). */
export function SignIn({ reason }: { readonly reason: string | undefined }): ComponentChild {
  const field = useRef<HTMLTextAreaElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: Event) => {
    event.preventDefault();
    const credential = (field.current?.value ?? "").trim().replace(/^bearer +/i, "");
    setBusy(true);
    setProblem(undefined);
    try {
      await signIn(credential);
    } catch (error) {
      setBusy(false);
      setProblem(messageOf(error));
      field.current?.focus();
    }
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
      h(
        "label",
        { class: "field" },
        h("span", null, "Credential"),
        h("textarea", {
          ref: field,
          rows: 4,
          required: true,
          autofocus: true,
          autocomplete: "off",
          spellcheck: false,
          "aria-describedby": "credential-help",
          "aria-invalid": problem !== undefined,
          // As in a field of one line.
          onKeyDown: (event: TargetedKeyboardEvent<HTMLTextAreaElement>) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          },
        }),
      ),
      problem !== undefined && h("p", { class: "field-problem", role: "alert" }, problem),
      h(
        "p",
        { class: "muted", id: "credential-help" },
        "The operator of this server makes one for you, with ",
        h("code", null, "strongroom token"),
        ". You stay signed in until you sign out or close the browser.",
      ),
      h(Button, { label: "Sign in", kind: "primary", type: "submit", disabled: isBusy }),
    ),
  );
}
