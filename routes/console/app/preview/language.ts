/** What is marked in the text of a program. */
export interface Language {
  readonly lineComments: readonly string[];
  readonly blockComments: readonly (readonly [start: string, end: string])[];
  /** What begins and ends texts, the longest first. One of a single character ends with its line at the latest. */
  readonly quotes: readonly string[];
  readonly words: ReadonlySet<string>;
}

const C_WORDS =
  "auto bool break case catch char class const continue default delete do double else enum " +
  "export extern false final finally float for if import in inline instanceof int interface let " +
  "long namespace new null nullptr of operator override package private protected public return " +
  "short signed sizeof static struct super switch template this throw true try typedef typeof " +
  "union unsigned using var virtual void volatile while yield async await function extends " +
  "implements readonly type undefined fn impl match mod mut pub ref self trait use where dyn " +
  "crate func go defer chan map range select string";

const PYTHON = language({
  lineComments: ["#"],
  quotes: ['"""', "'''", '"', "'"],
  words: "False None True and as assert async await break class continue def del elif else " +
    "except finally for from global if import in is lambda nonlocal not or pass raise return " +
    "try while with yield match case self",
});
const C_LIKE = language({
  lineComments: ["//"],
  blockComments: [["/*", "*/"]],
  quotes: ['"', "'", "`"],
  words: C_WORDS,
});
const SHELL = language({
  lineComments: ["#"],
  quotes: ['"', "'"],
  words: "if then else elif fi for while until do done case esac in function return exit export " +
    "local set unset source echo cd true false FROM RUN COPY ADD CMD ENTRYPOINT ENV ARG WORKDIR",
});
const DATA = language({
  lineComments: ["#"],
  quotes: ['"""', "'''", '"', "'"],
  words: "true false null yes no on off",
});
const JSON_TEXT = language({ quotes: ['"'], words: "true false null" });
const SQL_WORDS =
  "select from where insert into values update set delete create table index primary key " +
  "not null and or join left right inner outer on as order by group having limit union all " +
  "distinct case when then else end begin commit";
const SQL = language({
  lineComments: ["--"],
  blockComments: [["/*", "*/"]],
  quotes: ["'", '"'],
  words: `${SQL_WORDS} ${SQL_WORDS.toUpperCase()}`,
});
const MARKUP = language({ blockComments: [["<!--", "-->"]], quotes: ['"'], words: "" });

/** Languages by the ends of names, and by the words that fences in Markdown name them with. */
const LANGUAGES: readonly (readonly [language: Language, names: string])[] = [
  [PYTHON, "py pyi python python3 ipython"],
  [
    C_LIKE,
    "js mjs cjs ts mts jsx tsx javascript typescript c h cc cpp hpp cu cuh java kt cs go rs rust " +
    "swift scala php proto css scss",
  ],
  [SHELL, "sh bash zsh shell console dockerfile makefile mk"],
  [DATA, "yaml yml toml ini cfg conf env properties rb ruby r pl jl jinja"],
  [JSON_TEXT, "json jsonl ndjson ipynb json5 webmanifest"],
  [SQL, "sql lua hs"],
  [MARKUP, "html htm xml svg xhtml vue"],
];

const BY_NAME = new Map(
  LANGUAGES.flatMap(([it, names]) => names.split(" ").map((name) => [name, it] as const)),
);

/** The language of a file, or of a fence with this word. Undefined if it is not known. */
export function languageOf(name: string): Language | undefined {
  const last = name.slice(name.lastIndexOf("/") + 1).toLowerCase();
  return BY_NAME.get(last.slice(last.lastIndexOf(".") + 1));
}

function language(
  { lineComments = [], blockComments = [], quotes, words }:
    & Partial<Omit<Language, "words">>
    & Pick<Language, "quotes">
    & { readonly words: string },
): Language {
  return { lineComments, blockComments, quotes, words: new Set(words.split(" ")) };
}
