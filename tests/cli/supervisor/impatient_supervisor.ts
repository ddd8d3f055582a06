/** A supervisor that waits for three seconds only. */

import { supervise } from "../../../cli/supervisor/supervise.ts";

Deno.exit(await supervise([], { maxSilenceMs: 3000 }));
