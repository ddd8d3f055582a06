import { type ComponentChild, type ComponentChildren, h } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { place } from "../shared/router.ts";
import { session } from "../shared/session.ts";
import { Store, useStore } from "../shared/store.ts";
import { Button } from "./button.ts";
import { messageOf } from "./states.ts";

/** A question that the person answers before anything else. */
interface Question {
  readonly title: string;
  /** What is shown below the title. */
  readonly body: () => ComponentChildren;
  /** The words of the button that goes on. */
  readonly action: string;
  readonly kind: "primary" | "danger";
  /** Whether there is nothing to decide, so that the action is all there is. @default false */
  readonly isNotice?: boolean;
  /** Goes on. The dialog stays open while it runs, and if it fails. */
  readonly run: () => Promise<void>;
}

const question = new Store<Question | undefined>(undefined);
// Another person must not answer it.
session.subscribe(() => {
  if (session.value.kind !== "signedIn") question.set(undefined);
});

/** Asks before something is done that cannot be undone, or that needs more to be known. */
export function ask(
  { kind = "primary", ...asked }: Omit<Question, "kind"> & { readonly kind?: Question["kind"] },
): void {
  question.set({ kind, ...asked });
}

/** Asks for a text, such as a name. @param stem How much of the text is selected at first. */
export function askText(
  { title, label, action, value = "", stem = value.length, run }: {
    readonly title: string;
    readonly label: string;
    readonly action: string;
    readonly value?: string;
    readonly stem?: number;
    readonly run: (text: string) => Promise<void>;
  },
): void {
  let text = value;
  ask({
    title,
    action,
    body: () => h(TextField, { label, value, stem, onText: (it) => text = it }),
    run: () => run(text),
  });
}

function TextField(
  { label, value, stem, onText }: {
    readonly label: string;
    readonly value: string;
    readonly stem: number;
    readonly onText: (text: string) => void;
  },
): ComponentChild {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.setSelectionRange(0, stem), []);
  return h(
    "label",
    { class: "field" },
    h("span", null, label),
    h("input", {
      ref: field,
      type: "text",
      required: true,
      autofocus: true,
      autocomplete: "off",
      spellcheck: false,
      defaultValue: value,
      onInput: (event) => onText(event.currentTarget.value),
    }),
  );
}

/** The dialog that asks, if there is a question. */
export function Dialogs(): ComponentChild {
  const asked = useStore(question);
  return asked === undefined ? null : h(QuestionDialog, { key: asked.title, asked });
}

function QuestionDialog({ asked }: { readonly asked: Question }): ComponentChild {
  const dialog = useRef<HTMLDialogElement>(null);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  // The browser keeps the focus within it, and gives it back at the end.
  useEffect(() => dialog.current?.showModal(), []);
  // A link in it leads elsewhere.
  useEffect(() => place.subscribe(() => close()), []);
  const close = () => {
    dialog.current?.close();
    // The browser reports the end later, when there may be another question.
    if (question.value === asked) question.set(undefined);
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await asked.run();
      close();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return h(
    "dialog",
    { ref: dialog, class: "dialog", "aria-labelledby": "dialog-title", onClose: close },
    h(
      "form",
      { onSubmit: submit },
      h("h2", { id: "dialog-title" }, asked.title),
      asked.body(),
      problem !== undefined && h("p", { class: "field-problem", role: "alert" }, problem),
      h(
        "div",
        { class: "dialog-actions" },
        !asked.isNotice && h(Button, { label: "Cancel", onClick: close }),
        h(Button, { label: asked.action, kind: asked.kind, type: "submit", disabled: isBusy }),
      ),
    ),
  );
}
