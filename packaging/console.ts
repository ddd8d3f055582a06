/** `deno task package:console`: makes the files of the console, which a start of the checkout makes otherwise. */

import { refreshConsole } from "../cli/supervisor/console_files.ts";

await refreshConsole();
