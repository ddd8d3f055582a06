#!/usr/bin/env bash
# Runs the command line of this checkout for programs that know only where it is: code hosts and
# pre-commit. Paths count from the directory of the caller.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deno=(npx -y deno@2.9.6)
if [[ $(deno --version 2>/dev/null || true) == "deno 2.9.6"* ]]; then deno=(deno); fi
exec "${deno[@]}" run --quiet --no-prompt --allow-all "$root/main.ts" "$@"
