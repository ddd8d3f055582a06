/** The modules that threads run, in the package. tests/run.ts has `storage` import them from here. */

import { WORKERS as SOURCES } from "../../storage/threads/workers.ts";
import { pathToFileURL } from "node:url";
import { BUILT_PACKAGE, ROOT } from "./program.ts";

const root = pathToFileURL(ROOT).href;
const built = pathToFileURL(`${BUILT_PACKAGE}/lib/`).href;

export const WORKERS = Object.fromEntries(
  Object.entries(SOURCES).map(([name, { href }]) => [
    name,
    new URL(href.replace(root, built).replace(/\.ts$/, ".js")),
  ]),
);
