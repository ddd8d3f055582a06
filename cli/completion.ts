/** `strongroom completion`: prints a script that completes commands, options, their values and paths in a shell. */

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

/** Which arguments are paths of a server, in a shell script: all of them, those after a colon, or none. */
function remoteOf({ remotePaths }: Usage): string {
  return remotePaths ?? "none";
}

/** The values of the options of all commands, by command and option: `scan --format`. */
function optionValues(commands: Commands): [command: string, option: string, values: string[]][] {
  return commands.flatMap(([name, { values = {} }]) =>
    Object.entries(values).map((
      [option, those],
    ): [string, string, string[]] => [name, option, [...those]])
  );
}

function bashScript(commands: Commands): string {
  const cases = commands.map(([name, usage]) => {
    const words = wordsAfter(name, commands).join(" ");
    const options = optionsOf(usage).flatMap(spellings).join(" ");
    return `    ${name}) words="${words}" options="${options}" files=${
      usage.takesFiles ? 1 : 0
    } remote=${remoteOf(usage)} ;;`;
  });
  const values = optionValues(commands).map(([name, option, those]) =>
    `    "${name} ${option}") words="${those.join(" ")}" files=0 remote=none ;;`
  );
  return `# Completion for bash 4 or newer: source <(strongroom completion bash)
_strongroom_remote() {
  local directory= options=() name i
  case $1 in */*) directory=\${1%/*}/ ;; esac
  for ((i = 2; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in --server | --tree) options+=("\${COMP_WORDS[i]}" "\${COMP_WORDS[i + 1]}") ;; esac
  done
  while IFS= read -r name; do
    case $directory$name in "$1"*) printf '%s\\n' "$directory$name" ;; esac
  done < <(strongroom ls "\${options[@]}" -- "$directory" 2>/dev/null)
}
_strongroom() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} words= options= files=0 remote=none
  case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then
    words="${
    commands.map(([name]) => name).join(" ")
  }" options="--help --version" files=0 remote=none
  elif [ "$COMP_CWORD" -gt 2 ]; then
    words=
  fi
  case "\${COMP_WORDS[1]} $before" in
${values.join("\n")}
  esac
  case $word in -*) words="$options --help" files=0 remote=none ;; esac
  # A colon is a word of its own.
  if [ "$remote" = colon ]; then
    if [ "$word" = : ]; then word= remote=all files=0
    elif [ "$before" = : ]; then remote=all files=0
    fi
  fi
  mapfile -t COMPREPLY < <(
    compgen -W "$words" -- "$word"
    [ "$remote" != all ] || _strongroom_remote "$word"
    [ "$files" -eq 0 ] || compgen -f -- "$word"
  )
  case \${COMPREPLY[0]} in */) compopt -o nospace ;; esac
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
      words_after=(${words}) files=${usage.takesFiles ? 1 : 0} remote=${remoteOf(usage)}
      options=(${options.join(" ")})
      ;;`;
  });
  const values = optionValues(commands).map(([name, option, those]) =>
    `    '${name} ${option}') compadd -- ${those.join(" ")}; return ;;`
  );
  const names = commands.map(([name, { summary }]) => `    ${described(name, summary)}`);
  return `#compdef strongroom
# Completion for zsh: source <(strongroom completion zsh)
_strongroom_remote() {
  local directory= i
  local -a options names
  [[ $PREFIX == */* ]] && directory=\${PREFIX%/*}/
  for ((i = 3; i < CURRENT; i++)); do
    [[ $words[i] == (--server|--tree) ]] && options+=("$words[i]" "$words[i+1]")
  done
  names=("\${(@f)$(strongroom ls $options -- "\${(Q)directory}" 2>/dev/null)}")
  names=("\${(@)names:#}")
  compadd -f -p "$directory" -S '' -- \${(M)names:#*/}
  compadd -f -p "$directory" -- \${names:#*/}
}
_strongroom() {
  local -a commands options words_after
  local files=0 remote=none
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
  case "$words[2] $words[CURRENT-1]" in
${values.join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    options+=('--help:Explain the command')
    _describe option options
    return
  fi
  (( CURRENT == 3 )) && compadd -- $words_after
  if [[ $remote == colon ]] && compset -P :; then
    remote=all files=0
  fi
  [[ $remote == all ]] && _strongroom_remote
  (( files )) && _files
}
compdef _strongroom strongroom`;
}

function fishScript(commands: Commands): string {
  const word = (text: string) => quotedWord(text.replaceAll("\\", "\\\\"), "\\'");
  const lines = commands.flatMap(([name, usage]) => {
    const after = `complete -c strongroom -n '__fish_seen_subcommand_from ${name}'`;
    const remote = remoteOf(usage);
    return [
      `complete -c strongroom -n __fish_use_subcommand -a ${name} -d ${word(usage.summary)}`,
      ...wordsAfter(name, commands).map((it) => `${after} -a ${it}`),
      ...optionsOf(usage).map(({ short, long, value, description }) =>
        [
          after,
          ...short === undefined ? [] : [`-s ${short.slice(1)}`],
          `-l ${long.slice(2)}`,
          ...value === undefined ? [] : ["-r"],
          ...usage.values?.[long] === undefined ? [] : [`-f -a '${usage.values[long].join(" ")}'`],
          ...description === "" ? [] : [`-d ${word(description)}`],
        ].join(" ")
      ),
      ...remote === "none" ? [] : [`${after} -a '(__strongroom_remote ${remote})'`],
      ...usage.takesFiles ? [`${after} -F`] : [],
    ];
  });
  return [
    "# Completion for fish: strongroom completion fish | source",
    `function __strongroom_remote
  set -l word (commandline -ct)
  set -l colon ''
  if test $argv[1] = colon
    string match -q ':*' -- $word; or return
    set colon ':'
    set word (string sub -s 2 -- $word)
  end
  set -l directory ''
  string match -q '*/*' -- $word; and set directory (string replace -r '[^/]*$' '' -- $word)
  set -l options
  set -l words (commandline -opc)
  for i in (seq (count $words))
    contains -- $words[$i] --server --tree; and set -a options $words[$i] $words[(math $i + 1)]
  end
  for name in (strongroom ls $options -- "$directory" 2>/dev/null)
    echo "$colon$directory$name"
  end
end`,
    "complete -c strongroom -f",
    "complete -c strongroom -l help -d 'Explain the command'",
    ...lines,
  ].join("\n");
}
