/** `strongroom migrate` in one process, which a test can kill. */

import { run } from "../../cli/migrate/migrate.ts";

Deno.exit(await run(Deno.args));
