/** `strongroom completion`: prints a script that completes commands and options in a shell. */

import { print } from "./print.ts";
import { USAGES } from "./usage.ts";
import type { Usage } from "./usage_type.ts";
import { UsageError } from "./usage_error.ts";
import { type Option, optionsOf, subcommandsOf } from "./usage_options.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** `strongroom completion bash|zsh|fish` (C 25). */
export function run(args: string[]): number {
  const [shell = "", ...others] = args;
  if (others.length > 0 || !isShell(shell)) {
    const instead = args.length === 0 ? "" : `, not "${args.join(" ")}"`;
    throw new UsageError(`completion needs one argument: bash, zsh or fish${instead}`);
  }
  print(SCRIPTS[shell](Object.entries(USAGES)));
  return 0;
}

function isShell(name: string): name is keyof typeof SCRIPTS {
  return Object.hasOwn(SCRIPTS, name);
}

type Commands = readonly (readonly [string, Usage])[];

/** All spellings of an option. */
function spellings({ short, long }: Option): string[] {
  return short === undefined ? [long] : [short, long];
}

/** The words that may follow a command besides options: those of `help` are the commands. */
function wordsAfter(name: string, commands: Commands): string[] {
  return name === "help" ? commands.map(([it]) => it) : subcommandsOf(name);
}

/** A word for a shell that takes everything between quotes as it is, but the quote itself. */
function quotedWord(text: string, quote = "'\\''"): string {
  return `'${text.replaceAll("'", quote)}'`;
}

function bashScript(commands: Commands): string {
  const cases = commands.map(([name, usage]) => {
    const words = wordsAfter(name, commands).join(" ");
    const options = optionsOf(usage).flatMap(spellings).join(" ");
    return `    ${name}) words="${words}" options="${options}" files=${
      usage.takesFiles ? 1 : 0
    } ;;`;
  });
  return `# Completion for bash 4 or newer: source <(strongroom completion bash)
_strongroom() {
  local word=\${COMP_WORDS[COMP_CWORD]} words= options= files=0
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${commands.map(([name]) => name).join(" ")}" options="--help --version" files=0
  elif [ "$COMP_CWORD" -gt 2 ]; then
    words=
  fi
  case $word in -*) words="$options --help" files=0 ;; esac
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    [ "$files" -eq 0 ] || compgen -f -- "$word"
  )
}
complete -o filenames -F _strongroom strongroom`;
}

function zshScript(commands: Commands): string {
  const described = (name: string, text: string) =>
    quotedWord(`${name.replaceAll(":", "\\:")}:${text}`);
  const cases = commands.map(([name, usage]) => {
    const options = optionsOf(usage).flatMap((option) =>
      spellings(option).map((it) => described(it, option.description))
    );
    const words = wordsAfter(name, commands).join(" ");
    return `    ${name})
      words_after=(${words}) files=${usage.takesFiles ? 1 : 0}
      options=(${options.join(" ")})
      ;;`;
  });
  const names = commands.map(([name, { summary }]) => `    ${described(name, summary)}`);
  return `#compdef strongroom
# Completion for zsh: source <(strongroom completion zsh)
_strongroom() {
  local -a commands options words_after
  local files=0
  commands=(
${names.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
${cases.join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    options+=('--help:Explain the command')
    _describe option options
    return
  fi
  (( CURRENT == 3 )) && compadd -- $words_after
  (( files )) && _files
}
compdef _strongroom strongroom`;
}

function fishScript(commands: Commands): string {
  const word = (text: string) => quotedWord(text.replaceAll("\\", "\\\\"), "\\'");
  const lines = commands.flatMap(([name, usage]) => {
    const after = `complete -c strongroom -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c strongroom -n __fish_use_subcommand -a ${name} -d ${word(usage.summary)}`,
      ...wordsAfter(name, commands).map((it) => `${after} -a ${it}`),
      ...optionsOf(usage).map(({ short, long, value, description }) =>
        [
          after,
          ...short === undefined ? [] : [`-s ${short.slice(1)}`],
          `-l ${long.slice(2)}`,
          ...value === undefined ? [] : ["-r"],
          ...description === "" ? [] : [`-d ${word(description)}`],
        ].join(" ")
      ),
      ...usage.takesFiles ? [`${after} -F`] : [],
    ];
  });
  return [
    "# Completion for fish: strongroom completion fish | source",
    "complete -c strongroom -f",
    "complete -c strongroom -l help -d 'Explain the command'",
    ...lines,
  ].join("\n");
}
