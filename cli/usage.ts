import { PRIVILEGES } from "../core/caller.ts";

/** What `strongroom help` prints. */
export const USAGE = `strongroom, a file strongroom for people who work with model files

Usage:
  strongroom serve
      Serves until SIGTERM or SIGINT; a second signal ends it at once.
  strongroom token --user ID (--privileges P,… | --admin) [--ttl 1h]
      Prints a credential. Privileges: ${PRIVILEGES.join(", ")}
  strongroom scan PATH… [--format json|text|sarif] [--scanners ID,…]
      Says what is dangerous in model files: a report on stdout. Exit code 0: nothing; 1: something;
      2: not all could be scanned.
  strongroom capacity [--json] [--watch]
      Prints how much the host carries now, and what the server runs. Redrawn each second with --watch.
  strongroom config
      Prints every setting, its value and where it is from.
  strongroom permissions
      Prints the permissions that the settings need, as flags for deno run.

Settings are environment variables that begin with STRONGROOM_; strongroom config lists them.
`;
