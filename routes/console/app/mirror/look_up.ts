import { type ComponentChild, h, type TargetedSubmitEvent } from "preact";
import { useState } from "preact/hooks";
import type { MirrorEntry } from "../../../../schemas/mirror.ts";
import { call } from "../shared/api.ts";
import { goTo } from "../shared/router.ts";
import { Button } from "../ui/button.ts";
import { Card } from "../ui/pairs.ts";
import { messageOf } from "../ui/states.ts";
import { wantedRevision } from "./names.ts";

/** Says before a download what would happen: asks which revision is meant, and shows what is decided about its files. */
export function LookUpCard(): ComponentChild {
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("repository") ?? "");
    const json = wantedRevision(text);
    if (json === undefined) {
      setProblem("This is not the name of a repository, such as google/gemma");
      return;
    }
    setBusy(true);
    setProblem(undefined);
    try {
      const { id } = await call<MirrorEntry>("POST", "/mirror/", { inTree: false, json });
      goTo("mirror", String(id));
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  };
  return h(
    Card,
    { title: "What would happen" },
    h(
      "p",
      { class: "muted" },
      "What the gate and the policy say about the files of a repository, before anybody downloads one. No file " +
        "comes in for it.",
    ),
    h(
      "form",
      { class: "asked-for", role: "search", "aria-label": "Repositories", onSubmit: submit },
      h(
        "label",
        { class: "field" },
        h("span", null, "Repository"),
        h("input", {
          type: "search",
          name: "repository",
          required: true,
          maxLength: 400,
          placeholder: "google/gemma, datasets/google/questions@v1.1",
          autocomplete: "off",
          spellcheck: false,
        }),
      ),
      h(Button, { label: "Look it up", type: "submit", kind: "primary", disabled: isBusy }),
    ),
    problem !== undefined && h("p", { class: "field-problem", role: "alert" }, problem),
  );
}
