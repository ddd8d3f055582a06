/**
 * The command line without what loads the server, its storage and its scanners: a program of its own in the
 * package. The runtime reads all modules that a program may import before it starts, which for all commands
 * takes longer than the start itself.
 */

import { LIGHT_LOADERS } from "./loaders.ts";
import { runCommand } from "./run_command.ts";

if (import.meta.main) Deno.exit(await runCommand(LIGHT_LOADERS, Deno.args));
