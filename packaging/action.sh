#!/usr/bin/env bash
# The step of action.yml: scans what the inputs say, which come as environment variables.
set -euo pipefail

# Appends an option for each line of an input that is not empty.
arguments=()
option() {
  local line
  while IFS= read -r line; do
    if [[ -n $line ]]; then arguments+=("$1=$line"); fi
  done <<<"$2"
}

option --format "$INPUT_FORMAT"
option --output "$INPUT_OUTPUT"
option --fail-on "$INPUT_FAIL_ON"
option --baseline "$INPUT_BASELINE"
option --config "$INPUT_CONFIG"
option --exclude "$INPUT_EXCLUDE"
if [[ $INPUT_FAIL_ON_UNKNOWN == true ]]; then arguments+=(--fail-on-unknown); fi
arguments+=(--)
while IFS= read -r path; do
  if [[ -n $path ]]; then arguments+=("$path"); fi
done <<<"$INPUT_PATHS"

# Until the token comes, which no file can name, the runner takes no line of the output for a command. Both outputs
# are one, as the runner reads two in any order.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"
code=0
"$(dirname "${BASH_SOURCE[0]}")/strongroom" scan "${arguments[@]}" 2>&1 || code=$?
echo
echo "::$token::"
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
