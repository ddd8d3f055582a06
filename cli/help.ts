import { PRIVILEGES } from "../core/caller.ts";

const USAGE = `strongroom, a file strongroom for people who work with model files

Usage:
  strongroom serve [--accept-damage]
      Serves until SIGTERM, SIGINT, SIGQUIT or SIGHUP. A second signal stops it immediately.
      --accept-damage starts although the database has lost changes, or files have lost content.
  strongroom token --user ID [--privileges P,…] [--admin] [--tree ID=P,…]… [--ttl 1h] [--quota BYTES]
      Prints a credential. Privileges: ${PRIVILEGES.join(", ")}
      --tree allows something in the tree of another user: --tree 7=view,download,upload. Names without
      a dot are those of resources.
  strongroom token list [--json]
      Prints the credentials that were minted or revoked, not the tokens.
  strongroom token revoke JTI
      Makes a server, running or not, refuse a credential from now on.
  strongroom scan PATH… [--format json|text|sarif|junit|cyclonedx] [-o FILE] [--scanners ID,…]
                  [--weights] [--fail-on critical|warning|info|debug] [--fail-on-unknown]
                  [--baseline FILE] [--config FILE] [--exclude GLOB]… [--no-default-excludes]
                  [--name NAME]
      Scans model files and prints a report. Exit code 0: nothing found; 1: something found;
      2: not everything could be scanned. The path - is stdin, which --name names.
      -o, --output writes the report to a file, whole or not at all.
      --weights analyzes the values of tensors, too.
      --fail-on is the least severity that counts as found, by default warning.
      --fail-on-unknown counts files in unknown formats.
      --baseline counts and marks only what is new since an earlier report in JSON.
      --config names a file of waivers. Without it, strongroom.toml in this directory is read,
      unless it is among the scanned files.
      --exclude leaves out paths: *.bin, tmp/**, /models/old. Directories such as .git and
      node_modules are left out anyway, unless --no-default-excludes is given.
  strongroom rules [CODE] [--json]
      Prints what the rules of findings mean, how severe they are, and what to do.
  strongroom scanners [--json]
      Prints which formats are read, which are only recognized, and which are unknown.
  strongroom capacity [--json] [--watch]
      Prints how many scans and tools the host can carry, and what the server runs.
      --watch refreshes it each second.
  strongroom check [--read-data] [--repair] [--json]
      Checks the database, all records and their content, while a server uses them or not.
      --read-data reads and hashes all content; otherwise only its sizes are checked.
      --repair repairs what it can, without a server. It moves content without a record to quarantine/
      and damaged content to damaged/, and deletes nothing.
      Exit code 0: sound; 1: repaired; 2: damage is left.
  strongroom backup DIR [--json]
      Backs up the data directory, while a server uses it or not. Copies only what is new since the
      last backup to DIR. Exit code 0: all is there; 1: some content is damaged in the data directory
      and not in the backup; 2: DIR keeps its former backup.
  strongroom restore DIR [--json]
      Restores a backup into the data directory, which must be empty. Exit code 0: all is there;
      1: some content is missing from the backup or damaged in it; 2: nothing is restored.
  strongroom config
      Prints every setting, its value and its source.
  strongroom permissions
      Prints the permissions that the settings need, as flags for deno run.
  strongroom help, strongroom --version

Settings are environment variables that begin with STRONGROOM_; strongroom config lists them.
`;

/** `strongroom help`: prints the usage. */
export function run(): number {
  console.log(USAGE);
  return 0;
}
