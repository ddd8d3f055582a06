/** Prints the reports of files, one a line: the package, the directory, then a file with a path of one a line. */

import { readFileSync } from "node:fs";
import { argv } from "node:process";

const [scanner, directory, list] = argv.slice(2);
const { scan } = await import(scanner);
for (const path of readFileSync(list, "utf8").split("\n")) {
  console.log(JSON.stringify(await scan(path, `${directory}/${path}`)));
}
