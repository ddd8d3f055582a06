/**
 * Builds one executable, `dist/strongroom` or `--output=FILE`, with every worker module in it. Other
 * arguments are those of `deno compile`. If the build fails, the former executable stays.
 */

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SERVER_V8_FLAGS } from "../cli/supervisor/program.ts";
import { refreshConsole } from "../cli/supervisor/console_files.ts";
import { CONSOLE_FILES } from "../storage/threads/program_modules.ts";
import { WORKERS } from "../storage/threads/workers.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const OUTPUT = "--output=";

const outputs = Deno.args.filter((it) => it.startsWith(OUTPUT));
const output = resolve(ROOT, outputs.at(-1)?.slice(OUTPUT.length) ?? "dist/strongroom");
// A build that fails removes the executable that it would have replaced. For Windows, all names end with .exe.
const partial = output.replace(/(?:\.exe)?$/, ".partial$&");

await refreshConsole();
const { code } = await new Deno.Command(Deno.execPath(), {
  cwd: ROOT,
  args: [
    "compile",
    SERVER_V8_FLAGS,
    "--exclude-unused-npm",
    "--no-prompt",
    "--deny-ffi",
    "--deny-import",
    // Settings name hosts and paths at run time. The supervisor in it runs programs; the server and the
    // scanners give that up when they start.
    ...["env", "net", "read", "run", "write"].map((name) => `--allow-${name}`),
    "--allow-sys=statfs,loadavg,systemMemoryInfo,setPriority",
    ...Object.values(WORKERS).map((module) => `--include=${fileURLToPath(module)}`),
    `--include=${CONSOLE_FILES}`,
    `--include=${ROOT}dist/scanner/scan.js`,
    `--include=${ROOT}dist/scanner/scanning.js`,
    `${OUTPUT}${partial}`,
    ...Deno.args.filter((it) => !it.startsWith(OUTPUT)),
    "main.ts",
  ],
}).spawn().status;
if (code === 0) await Deno.rename(partial, output);
Deno.exit(code);
