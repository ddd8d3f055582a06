import { type ComponentChild, h, type TargetedEvent } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { SearchFacets } from "../../../../schemas/search.ts";
import type { FoundList } from "../../../../schemas/verdicts.ts";
import { call } from "../shared/api.ts";
import { count } from "../shared/format.ts";
import { Button } from "../ui/button.ts";
import { useLoaded } from "../ui/loaded.ts";
import { type Asked, type ConditionName, CONDITIONS } from "./asked.ts";
import { conditionLabel, valueLabel } from "./fact_words.ts";
import type { Found } from "./search.ts";

/** How many values of facts are suggested for a word. */
const MAX_SUGGESTIONS = 6;
/** How long a word is for which values are suggested. */
const MIN_WORD = 2;
/** What is not complete is asked for again after so many milliseconds. */
const AGAIN_MS = 1000;
/** Where there is less room, the choices are shown on request. */
const HAS_ROOM = "(min-width: 701px)";

type Counted = SearchFacets[ConditionName];

interface NarrowProps {
  readonly path: string;
  readonly asked: Asked;
  readonly found: Found;
  readonly onAsk: (asked: Asked) => void;
}

/** What narrows a search down: values of facts, with how many have them, and those that the words may mean. */
export function Narrow({ path, asked, found, onAsk }: NarrowProps): ComponentChild {
  const { conditions } = asked;
  const { facets, repeats } = found;
  const { kind = "model" } = conditions;
  // What there is to choose whatever else is asked for.
  const { state, reload } = useLoaded(
    async (signal) => {
      const query = { path, kind, facets: "true", limit: "1" };
      return await call<FoundList>("GET", "/resources/search", { query, signal });
    },
    [path, kind],
  );
  useEffect(() => {
    if (repeats > 0) reload();
  }, [repeats]);
  const loaded = state.kind === "loaded" ? state.data : undefined;
  useEffect(() => {
    if (loaded === undefined || loaded.complete) return;
    const again = setTimeout(reload, AGAIN_MS);
    return () => clearTimeout(again);
  }, [loaded]);
  const all = loaded?.facets;
  const [isOpen, setOpen] = useState(() => matchMedia(HAS_ROOM).matches);
  const chosen = CONDITIONS.filter((name) => conditions[name] !== undefined);
  const choose = (name: ConditionName, value: string | undefined, words = asked.words) => {
    const { [name]: _, ...others } = conditions;
    onAsk({ words, conditions: value === undefined ? others : { ...others, [name]: value } });
  };
  return h(
    "section",
    { class: "narrow", "aria-label": "Narrow the search down" },
    h(Suggestions, { asked, facets: [facets, all], onAsk }),
    h(
      "div",
      { class: "narrow-head" },
      h(Button, {
        label: "Facts",
        icon: isOpen ? "down" : "chevron",
        kind: "quiet",
        expanded: isOpen,
        onClick: () => setOpen(!isOpen),
      }),
      !isOpen && chosen.map((name) =>
        h(Button, {
          key: name,
          label: valueLabel(name, conditions[name] ?? ""),
          icon: "close",
          describes: "– do not ask for it",
          onClick: () => choose(name, undefined),
        })
      ),
      chosen.length > 0 &&
        h(Button, {
          label: "Clear",
          kind: "quiet",
          onClick: () => onAsk({ ...asked, conditions: {} }),
        }),
      facets === null &&
        h(
          "span",
          { class: "muted" },
          "Not counted: too much would have to be looked at. Longer words or a folder narrow it down.",
        ),
    ),
    isOpen && h(
      "div",
      { class: "narrow-facts" },
      CONDITIONS.map((name) =>
        h(FactChoice, {
          key: name,
          name,
          // What else could be chosen instead is not among what is found.
          counted: conditions[name] === undefined ? facets?.[name] ?? [] : all?.[name] ?? [],
          isCounted: conditions[name] === undefined,
          chosen: conditions[name],
          onChoose: (value) => choose(name, value),
        })
      ),
    ),
  );
}

function FactChoice(
  { name, counted, isCounted, chosen, onChoose }: {
    readonly name: ConditionName;
    readonly counted: Counted;
    readonly isCounted: boolean;
    readonly chosen: string | undefined;
    readonly onChoose: (value: string | undefined) => void;
  },
): ComponentChild {
  if (counted.length === 0 && chosen === undefined) return null;
  const isThere = counted.some(({ value }) => value === chosen);
  const listed = chosen === undefined || isThere ? counted : [
    { value: chosen, count: 0 },
    ...counted,
  ];
  return h(
    "label",
    { class: "field" },
    h("span", null, conditionLabel(name)),
    h(
      "select",
      {
        value: chosen ?? "",
        onChange: ({ currentTarget }: TargetedEvent<HTMLSelectElement>) =>
          onChoose(currentTarget.value || undefined),
      },
      h("option", { value: "" }, "Any"),
      inOrder(name, listed).map(({ value, count: number }) =>
        h(
          "option",
          { key: value, value },
          isCounted ? `${valueLabel(name, value)} (${count(number)})` : valueLabel(name, value),
        )
      ),
    ),
  );
}

/** Numbers from the smallest, other values as they are counted. */
function inOrder(name: ConditionName, counted: Counted): Counted {
  return name === "parameters"
    ? counted.toSorted((a, b) => Number.parseInt(a.value) - Number.parseInt(b.value))
    : counted;
}

/** The values of facts that the last word may mean. */
function Suggestions(
  { asked, facets, onAsk }: {
    readonly asked: Asked;
    readonly facets: readonly Found["facets"][];
    readonly onAsk: (asked: Asked) => void;
  },
): ComponentChild {
  const { words, conditions } = asked;
  const [word = "", ...others] = words.split(/\s+/).reverse();
  if (word.length < MIN_WORD) return null;
  const wanted = word.toLowerCase();
  const found = new Map<string, { name: ConditionName; value: string; starts: boolean }>();
  for (const name of CONDITIONS) {
    if (conditions[name] !== undefined) continue;
    for (const { value } of facets.flatMap((it) => it?.[name] ?? [])) {
      const label = valueLabel(name, value).toLowerCase();
      if (!label.includes(wanted)) continue;
      found.set(`${name} ${value}`, { name, value, starts: label.startsWith(wanted) });
    }
  }
  const best = [...found.values()].sort((a, b) => Number(b.starts) - Number(a.starts))
    .slice(0, MAX_SUGGESTIONS);
  return best.length === 0 ? null : h(
    "div",
    { class: "filters narrow-suggestions", role: "group", "aria-label": "Suggestions" },
    best.map(({ name, value }) =>
      h(Button, {
        key: `${name} ${value}`,
        label: `${conditionLabel(name)}: ${valueLabel(name, value)}`,
        onClick: () =>
          onAsk({
            words: others.reverse().join(" "),
            conditions: { kind: "model", ...conditions, [name]: value },
          }),
      })
    ),
  );
}
