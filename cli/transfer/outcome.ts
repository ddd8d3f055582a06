import { printable } from "../../schemas/printable.ts";
import type { FileTotals } from "../../storage/disk/file_comparison.ts";
import { formatBytes } from "../../schemas/units.ts";
import { ConnectionLost, RemoteError } from "../remote/remote_error.ts";
import { print } from "../print.ts";
import { printError } from "../print_error.ts";
import { counted } from "../terminal_text.ts";
import { messageOf } from "../usage_error.ts";

/** The kinds of errors after which no other file would fare better. */
const FATAL_KINDS: ReadonlySet<string> = new Set([
  "ErrAuthRequired",
  "ErrNotPermitted",
  "ErrResourcesQuotaExceeded",
  "ErrTooManyRequests",
  "ErrUnavailable",
]);

/** Whether a transfer is given up after this error. */
export function isFatal(error: unknown): boolean {
  return error instanceof ConnectionLost || !(error instanceof Error) ||
    error.name === "AbortError" || error instanceof RemoteError && FATAL_KINDS.has(error.kind);
}

const DONE = { send: "Sent", receive: "Received" } as const;

/** What a transfer has done. */
export class Outcome {
  readonly #json: boolean;
  transferred: FileTotals = { files: 0, bytes: 0 };
  /** Files that the other side had already. */
  equal: FileTotals = { files: 0, bytes: 0 };
  /** Files that the other side has with other content, which it keeps. */
  kept: FileTotals = { files: 0, bytes: 0 };
  deleted = 0;
  failed = 0;
  /** Called before something is printed. */
  beforePrint = (): void => {};

  constructor({ json }: { readonly json: boolean }) {
    this.#json = json;
  }

  countTransferred(files: number, bytes: number): void {
    this.transferred = {
      files: this.transferred.files + files,
      bytes: this.transferred.bytes + bytes,
    };
  }

  /** Prints why a file is left as it is, and goes on. */
  readonly fail = (path: string, error: unknown): void => {
    this.failed++;
    this.beforePrint();
    printError(`${JSON.stringify(path)}: ${messageOf(error)}`);
  };

  /** Prints what would be done with an entry. */
  plan(action: "add" | "replace" | "delete", path: string, bytes?: number): void {
    const sign = { add: "+", replace: "~", delete: "-" }[action];
    const size = bytes === undefined ? "" : ` (${formatBytes(bytes)})`;
    print(
      this.#json ? JSON.stringify({ action, path, bytes }) : `${sign} ${printable(path)}${size}`,
    );
  }

  /** Prints the outcome, and returns the exit code. */
  print(verb: "send" | "receive", isDryRun: boolean): number {
    const { transferred, equal, kept, deleted, failed } = this;
    if (this.#json) {
      print(
        JSON.stringify({ dry_run: isDryRun, transferred, equal, kept, deleted, failed }),
      );
    } else {
      const parts = [
        `${isDryRun ? `Would ${verb}` : DONE[verb]} ${totalsText(transferred)}`,
        ...equal.files === 0 ? [] : [`${totalsText(equal)} were there already`],
        ...kept.files === 0 ? [] : [`${totalsText(kept)} kept with other content`],
        ...deleted === 0 ? [] : [`${deleted} ${isDryRun ? "to delete" : "deleted"}`],
        ...failed === 0 ? [] : [`${failed} failed`],
      ];
      print(parts.join("; "));
    }
    return failed === 0 ? 0 : 1;
  }
}

function totalsText({ files, bytes }: FileTotals): string {
  return `${counted(files, "file")}, ${formatBytes(bytes)}`;
}
