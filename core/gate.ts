import { AppError, quoted, RetryLater } from "./errors.ts";
import type { CollectedFile, FileCollection } from "./ports.ts";
import type {
  AcceptedVerdicts,
  ContentVerdict,
  NamedContent,
  RefusedFile,
  Verdicts,
} from "./verdicts.ts";
import { ruleCodesOf } from "./verdicts.ts";
import { nameOf } from "./paths.ts";

/** How many of the refused files a message names. */
const MAX_NAMED = 3;
/** When to try again while a scan is on its way, in seconds. */
const RETRY_AFTER_S = 5;

/**
 * The refusal of files, of which the first are named, below a directory. It is for now if all of them
 * wait for a scan.
 */
function quarantined(refused: readonly RefusedFile[], directory: string): AppError {
  const above = directory === "" ? 0 : directory.length + 1;
  const files = refused.map((file) => ({ ...file, path: file.path.slice(above) }));
  const message = `Cannot download: ${describe(files)}`;
  return files.every(({ verdict }) => verdict === "pending")
    ? new RetryLater("ErrResourcesQuarantined", message, RETRY_AFTER_S)
    : new AppError("ErrResourcesQuarantined", message);
}

function describe(files: readonly RefusedFile[]): string {
  const named = files.slice(0, MAX_NAMED).map(({ path, verdict, ruleCodes }) =>
    `${quoted(path)} (${[verdict, ...ruleCodes].join(", ")})`
  );
  return `in quarantine: ${named.join(", ")}${files.length > MAX_NAMED ? " and others" : ""}`;
}

/** Whether a name ends with one of some extensions. */
function hasExtension(name: string, extensions: readonly string[]): boolean {
  const lower = name.toLowerCase();
  return extensions.some((it) => lower.length > it.length + 1 && lower.endsWith(`.${it}`));
}

/** A file that the gate has admitted: the content that it has judged. */
export interface Admission extends NamedContent {
  readonly path: string;
  /** When this content was stored, in milliseconds since the Unix epoch. */
  readonly storedAt: number;
}

/**
 * Lets only files with an accepted verdict or a waiver be downloaded (C 18). Content is admitted by
 * its hash, then opened, then confirmed. As MD5 can be forged, other content may have taken its place
 * in between; confirming finds that.
 * See docs/design/gate.md.
 */
export class Gate {
  constructor(
    private readonly verdicts: Verdicts,
    private readonly accepted: AcceptedVerdicts,
    private readonly directory = "",
  ) {}

  /** This gate, for files below a directory: its refusals name them by their paths from there. */
  namedBelow(directory: string): Gate {
    return new Gate(this.verdicts, this.accepted, directory);
  }

  /**
   * Admits a file by its content.
   *
   * @throws {AppError} `ErrResourcesQuarantined` when it is refused.
   */
  async admit({ userId, path, hash, name }: NamedContent & { path: string }): Promise<Admission> {
    const found = await this.verdicts.on({ userId, hash, name });
    if (this.#accepts(found, name)) return { userId, path, hash, name, storedAt: found.storedAt };
    throw this.#refusal(path, found);
  }

  /** Why the gate refuses each of some files, in their order; undefined for one that it admits. */
  async refusals(
    files: readonly (NamedContent & { readonly path: string })[],
  ): Promise<(AppError | undefined)[]> {
    const found = await this.verdicts.of(files);
    return files.map(({ path, name }, index) => {
      const verdict = found[index];
      if (verdict === undefined) throw new Error("No verdict was returned");
      return this.#accepts(verdict, name) ? undefined : this.#refusal(path, verdict);
    });
  }

  /** Whether a file with this verdict and name is refused now. */
  blocks(found: ContentVerdict, name: string): boolean {
    return !this.#accepts(found, name);
  }

  #accepts(
    found: ContentVerdict,
    name: string,
  ): found is ContentVerdict & { readonly storedAt: number } {
    const { verdict, waiver, storedAt } = found;
    if (storedAt === null) return false;
    if (waiver !== null) return true;
    const { verdicts, knownOnly } = this.accepted;
    if (verdict === "unknown" && hasExtension(name, knownOnly)) return false;
    return verdicts.some((accepted) => accepted === verdict);
  }

  #refusal(path: string, { verdict, findings }: ContentVerdict): AppError {
    return quarantined([{ path, verdict, ruleCodes: ruleCodesOf(findings) }], this.directory);
  }

  /**
   * Admits all files of a collection, or none.
   *
   * @throws {AppError} `ErrResourcesQuarantined` when one is refused.
   */
  async admitAll(files: FileCollection): Promise<void> {
    const refused = await files.refused(this.accepted, MAX_NAMED + 1);
    if (refused.length === 0) return;
    throw quarantined(
      refused.map((file) => ({ ...file, verdict: this.verdicts.shown(file.verdict) })),
      this.directory,
    );
  }

  /**
   * Whether content that was opened since is what was admitted.
   *
   * @throws {AppError} `ErrResourcesQuarantined` when it is refused by now.
   */
  async confirm(admitted: Admission): Promise<boolean> {
    return (await this.admit(admitted)).storedAt === admitted.storedAt;
  }

  /**
   * Whether the content of a file of an admitted collection is what was admitted.
   *
   * @throws {AppError} `ErrResourcesQuarantined` when it is refused by now.
   */
  async confirmFile({ userId, path, hash, storedAt }: CollectedFile): Promise<boolean> {
    return (await this.admit({ userId, path, hash, name: nameOf(path) })).storedAt === storedAt;
  }
}
