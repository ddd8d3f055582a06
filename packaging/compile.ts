/** Builds one executable, `dist/strongroom`, with every worker module in it. */

import { fileURLToPath } from "node:url";
import { WORKERS } from "../storage/threads/workers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

const { code } = await new Deno.Command(Deno.execPath(), {
  cwd: ROOT,
  args: [
    "compile",
    "--v8-flags=--max-semi-space-size=1",
    "--exclude-unused-npm",
    "--allow-net",
    "--allow-read",
    "--allow-write",
    "--allow-env=STRONGROOM_*",
    "--allow-sys=statfs,loadavg,systemMemoryInfo",
    ...Object.values(WORKERS).map((module) => `--include=${fileURLToPath(module)}`),
    "--output=dist/strongroom",
    ...Deno.args,
    "main.ts",
  ],
}).spawn().status;
Deno.exit(code);
