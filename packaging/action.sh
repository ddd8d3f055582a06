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

code=0
"$(dirname "${BASH_SOURCE[0]}")/strongroom" scan "${arguments[@]}" || code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"
exit "$code"
