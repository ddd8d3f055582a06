import {
  CATALOG,
  OPTIONAL_SCANNER_IDS,
  SCANNER_IDS,
  UNKNOWN_FORMATS,
} from "../../core/scanner/mod.ts";
import { parseOptions } from "../arguments.ts";
import { print } from "../print.ts";

/** `strongroom scanners`: prints which formats are read, recognized and unknown. */
export function run(args: string[]): number {
  const { json } = parseOptions(args, { json: { type: "boolean", default: false } });
  const scanners = SCANNER_IDS.map((id) => ({
    id,
    optional: OPTIONAL_SCANNER_IDS.includes(id),
    ...CATALOG[id],
  }));
  if (json) {
    print(JSON.stringify({ scanners, unknown: UNKNOWN_FORMATS }, undefined, 2));
    return 0;
  }
  const rows = (state: "read" | "recognized") =>
    scanners.flatMap((it) => it[state] === undefined ? [] : [`  ${it.id.padEnd(20)} ${it[state]}`]);
  print([
    "Read:",
    ...rows("read"),
    "",
    "Only recognized; such files are inconclusive:",
    ...rows("recognized"),
    "",
    "Unknown; such files are hashed, listed and reported as not scanned:",
    `  ${UNKNOWN_FORMATS.join(", ")}`,
  ].join("\n"));
  return 0;
}
