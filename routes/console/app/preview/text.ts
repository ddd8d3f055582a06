import { type ComponentChild, h } from "preact";
import { useMemo } from "preact/hooks";
import { bytes } from "../shared/format.ts";
import { Button } from "../ui/button.ts";
import { Loading, Problem } from "../ui/states.ts";
import { MAX_PREFIX_BYTES, type ReadFile } from "./prefix.ts";
import { Code } from "./code.ts";
import { textOf } from "./kinds.ts";
import { languageOf } from "./language.ts";
import { usePrefix } from "./use_prefix.ts";

/** How much of a text is shown at first, and more at each request. */
const STEP_BYTES = 2 ** 20;

/** A text or program: its first part, and more on request. */
export function TextView({ file }: { readonly file: ReadFile }): ComponentChild {
  const { start, more, isReading, error } = usePrefix(file, STEP_BYTES);
  const text = useMemo(() => textOf(start), [start]);
  const language = useMemo(() => languageOf(file.path), [file.path]);
  if (isReading && start.length === 0) return h(Loading, { what: "the text" });
  const left = file.size - start.length;
  const isMost = start.length >= MAX_PREFIX_BYTES;
  return [
    start.length > 0 && h(Code, { key: "text", text, language, label: "Text of the file" }),
    error !== undefined && h(Problem, { key: "problem", error, retry: more }),
    left > 0 && h(
      "div",
      { key: "more", class: "preview-more" },
      h("p", { class: "muted" }, `The first ${bytes(start.length)} of ${bytes(file.size)}.`),
      isMost ? h("p", { class: "muted" }, "Download the file to read the rest.") : h(Button, {
        label: `Show ${bytes(Math.min(left, STEP_BYTES))} more`,
        disabled: isReading,
        onClick: more,
      }),
    ),
  ];
}
