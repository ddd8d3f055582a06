import { useEffect, useRef, useState } from "preact/hooks";
import type { Query } from "../shared/api.ts";
import { noteQuery, place } from "../shared/router.ts";
import { useStore } from "../shared/store.ts";

/** How long a person may type before the search begins, in milliseconds. */
const TYPING_MS = 250;

/** The facts that a search may ask for, by their names in the address, in the order in which they are offered. */
export const CONDITIONS = [
  "kind",
  "format",
  "parameters",
  "license",
  "dtype",
  "architecture",
  "base_model",
  "library",
  "task",
] as const;
export type ConditionName = typeof CONDITIONS[number];

/** What is searched for: words, and one value of some facts. */
export interface Asked {
  readonly words: string;
  readonly conditions: Partial<Readonly<Record<ConditionName, string>>>;
}

export const NOTHING_ASKED: Asked = { words: "", conditions: {} };

/** Whether anything is searched for. */
export function isSearch({ words, conditions }: Asked): boolean {
  return words !== "" || Object.keys(conditions).length > 0;
}

/** What is searched for, as a request says it. */
export function queryOf({ words, conditions }: Asked): Query {
  const { library, task, ...others } = conditions;
  const tags = [library, task].filter((it) => it !== undefined);
  return { ...others, ...(words !== "" && { q: words }), ...(tags.length > 0 && { tag: tags }) };
}

/** What a folder is searched for, and what changes that. */
export interface Asking {
  readonly asked: Asked;
  /** As they are typed: the search follows a moment later. */
  readonly words: string;
  readonly type: (words: string) => void;
  readonly ask: (asked: Asked) => void;
}

/** What the address says that the folder is searched for, so that it can be shared. */
export function useAsked(): Asking {
  const { query } = useStore(place);
  const asked = askedIn(query);
  const [words, setWords] = useState(asked.words);
  /** What the address has had last, as far as this has seen it. */
  const noted = useRef(asked.words);
  const ask = ({ words: wanted, conditions }: Asked) => {
    noted.current = wanted.trim();
    const given = Object.fromEntries(CONDITIONS.map((name) => [name, conditions[name]]));
    noteQuery({ q: noted.current, ...given });
  };
  useEffect(() => {
    if (asked.words === noted.current) return;
    noted.current = asked.words;
    setWords(asked.words);
  }, [asked.words]);
  useEffect(() => {
    if (words.trim() === noted.current) return;
    const { conditions } = asked;
    const timer = setTimeout(() => ask({ words, conditions }), TYPING_MS);
    return () => clearTimeout(timer);
  }, [words]);
  return {
    ...{ asked, words },
    type: setWords,
    ask: (wanted) => {
      setWords(wanted.words);
      ask(wanted);
    },
  };
}

function askedIn(query: Readonly<Record<string, string>>): Asked {
  const given = CONDITIONS.flatMap((name) => {
    const value = query[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return { words: query.q ?? "", conditions: Object.fromEntries(given) };
}
