/** The command line: all commands. */

import { LIGHT_LOADERS } from "./cli/light/loaders.ts";
import { type Loaders, runCommand } from "./cli/light/run_command.ts";

/** Where the commands are. */
export const LOADERS: Loaders = {
  ...LIGHT_LOADERS,
  serve: () => import("./cli/serve/serve.ts"),
  token: () => import("./cli/token/token.ts"),
  user: () => import("./cli/people/user.ts"),
  team: () => import("./cli/people/team.ts"),
  policy: () => import("./cli/policy/policy.ts"),
  invite: () => import("./cli/token/invite.ts"),
  scan: () => import("./cli/scan/scan.ts"),
  rules: () => import("./cli/scan/rules.ts"),
  scanners: () => import("./cli/scan/scanners.ts"),
  scanner: () => import("./cli/scanner.ts"),
  capacity: () => import("./cli/capacity.ts"),
  check: () => import("./cli/check/check.ts"),
  backup: () => import("./cli/backup/backup.ts"),
  restore: () => import("./cli/backup/restore.ts"),
  migrate: () => import("./cli/migrate/migrate.ts"),
  adopt: () => import("./cli/adopt/adopt.ts"),
};

if (import.meta.main) Deno.exit(await runCommand(LOADERS, Deno.args));
