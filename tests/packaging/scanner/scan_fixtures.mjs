/** Prints the reports of files, one a line: the directory, then a file with a path of one a line. */

import { readFileSync } from "node:fs";
import { argv } from "node:process";
import { scan } from "strongroom-scanner";

const [directory, list] = argv.slice(2);
for (const path of readFileSync(list, "utf8").split("\n")) {
  console.log(JSON.stringify(await scan(path, `${directory}/${path}`)));
}
