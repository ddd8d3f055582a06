import { quoted } from "../../core/errors.ts";
import type { DamagedContent } from "../../core/errors.ts";
import { formatBytes } from "../../schemas/units.ts";
import type { CopyEvents } from "../../storage/backup/back_up.ts";
import type { ContentTotals, ContentUses } from "../../storage/database/snapshot.ts";
import { printError } from "../environment.ts";
import { ProgressBar, progressScreen } from "../progress_bar.ts";

/** Shows what happens while contents are copied: progress on a terminal, and damage. */
export class CopyView implements CopyEvents, Disposable {
  #bar: ProgressBar | undefined;

  onProgress(done: ContentTotals, total: ContentTotals): void {
    this.#bar ??= new ProgressBar(total, progressScreen());
    this.#bar.show(done);
  }

  onDamage({ message }: DamagedContent, { first, count }: ContentUses): void {
    this.clear();
    const names = first.map(({ userId, path }) => `${quoted(path)} of user ${userId}`);
    const more = count > first.length ? ` and ${count - first.length} more` : "";
    printError(`${message}; it is the content of ${names.join(", ")}${more}`);
  }

  /** Erases the progress. */
  clear(): void {
    this.#bar?.clear();
  }

  [Symbol.dispose](): void {
    this.clear();
  }
}

/** Such as `3 files (1.5 MiB)`. */
export function totalsText({ files, bytes }: ContentTotals): string {
  const unit = files === 1 ? "file" : "files";
  return `${files.toLocaleString("en")} ${unit} (${formatBytes(bytes)})`;
}
