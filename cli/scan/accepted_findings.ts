import { printError } from "../print_error.ts";
import { type ScanRequest, STDIN } from "./arguments.ts";
import { readOwnWaivers, readWaivers } from "./waivers.ts";

/** What the caller has accepted before: an earlier report, and waivers. */
export async function acceptedFindings({ paths, baseline, config, remote }: ScanRequest) {
  // What a server has cannot bring waivers of its own.
  const own = remote === undefined ? paths : [];
  const given = config === undefined
    ? await readOwnWaivers(own.filter((it) => it !== STDIN), printError)
    : await readWaivers(config);
  return {
    baseline: baseline === undefined ? undefined : await earlierReport(baseline),
    waivers: given?.waivers,
    matchesPath: given?.matchesPath ?? (() => false),
  };
}

/** Few scans have a baseline, and the schemas of a report take as long to load as all else of the command. */
async function earlierReport(path: string) {
  const { readBaseline } = await import("./baseline_file.ts");
  return await readBaseline(path);
}
