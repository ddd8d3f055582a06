import type { SignatureOutcome } from "../schemas/signatures.ts";
import { AppError, quoted, RetryLater } from "./errors.ts";
import type { CollectedFile, FileCollection, RecordLookup } from "./ports.ts";
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

/** The refusal of files, of which the first are named. It is for now if all of them wait for a scan. */
function quarantined(files: readonly RefusedFile[]): AppError {
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

/** A file with the verdict on its content. */
export interface JudgedFile {
  /** Whose tree it is in. */
  readonly userId: number;
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  readonly content: ContentVerdict;
}

/** What refuses files besides their verdicts (C 28). */
export interface ContentRules {
  /** Whether any file can be refused now. */
  readonly canRefuse: boolean;
  /** The signatures on files, in their order; none if no rule asks for them. */
  signaturesOf(files: readonly JudgedFile[]): Promise<readonly SignatureOutcome[]>;
  /** Why a file is refused now, or whether its scan decides. */
  refusalOf(
    file: JudgedFile & { readonly signature?: SignatureOutcome | undefined },
    shownPath: string,
  ): AppError | "undecided" | undefined;
  /** The same rules for files of a tree as other records have it. */
  at(records: RecordLookup): ContentRules;
}

/** A file to judge. */
export interface GatedFile extends NamedContent {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
}

/** A file that the gate has admitted: the content that it has judged. */
export interface Admission extends GatedFile {
  /** When this content was stored, in milliseconds since the Unix epoch. */
  readonly storedAt: number;
}

/**
 * Lets only files with an accepted verdict or a waiver be downloaded (C 18), which no rule refuses (C 28). Content is
 * admitted by its hash, then opened, then confirmed. As MD5 can be forged, other content may have taken its place in
 * between; confirming finds that.
 * See docs/design/gate.md.
 */
export class Gate {
  constructor(
    private readonly verdicts: Verdicts,
    private readonly accepted: AcceptedVerdicts,
    private readonly rules?: ContentRules,
    private readonly directory = "",
  ) {}

  /** This gate, for files below a directory: its refusals name them by their paths from there. */
  namedBelow(directory: string): Gate {
    return new Gate(this.verdicts, this.accepted, this.rules, directory);
  }

  /** This gate, for a tree as other records have it. */
  at(records: RecordLookup): Gate {
    return new Gate(this.verdicts, this.accepted, this.rules?.at(records), this.directory);
  }

  /**
   * Admits a file by its content.
   *
   * @throws {AppError} `ErrResourcesQuarantined` or `ErrResourcesRefused` when it is refused.
   */
  async admit({ userId, path, hash, name, size }: GatedFile): Promise<Admission> {
    const file = { userId, path, hash, name, size };
    const content = await this.verdicts.on(file);
    const { storedAt } = content;
    const [refusal] = await this.#refusalsOf([{ userId, path, size, content }]);
    if (refusal !== undefined) throw refusal;
    if (storedAt === null) throw new Error("The gate has accepted missing content");
    return { ...file, storedAt };
  }

  /** Why the gate refuses each of some files, in their order; undefined for one that it admits. */
  async refusals(
    files: readonly GatedFile[],
  ): Promise<(AppError | undefined)[]> {
    const found = await this.verdicts.of(files);
    return await this.#refusalsOf(files.map(({ userId, path, size }, index) => {
      const content = found[index];
      if (content === undefined) throw new Error("No verdict was returned");
      return { userId, path, size, content };
    }));
  }

  /** Whether each of some files is refused now, in their order. */
  async blocked(files: readonly JudgedFile[]): Promise<boolean[]> {
    return (await this.#refusalsOf(files)).map((refusal) => refusal !== undefined);
  }

  async #refusalsOf(files: readonly JudgedFile[]): Promise<(AppError | undefined)[]> {
    const signatures = await this.rules?.signaturesOf(files);
    return files.map((file, index) => this.#refusalOf(file, signatures?.[index]));
  }

  /** Why a file is refused now. */
  #refusalOf(file: JudgedFile, signature: SignatureOutcome | undefined): AppError | undefined {
    const { path, content } = file;
    const { verdict, findings } = content;
    if (!this.accepts(content, nameOf(path))) {
      return this.#quarantined([{ path, verdict, ruleCodes: ruleCodesOf(findings) }]);
    }
    const refusal = this.rules?.refusalOf({ ...file, signature }, this.#named(path));
    if (refusal !== "undecided") return refusal;
    // Content with a waiver that has not been scanned.
    return this.#quarantined([{ path, verdict: "pending", ruleCodes: [] }]);
  }

  /** Whether the verdict on a file is accepted, or a waiver stands for it. */
  accepts({ verdict, waiver, storedAt }: ContentVerdict, name: string): boolean {
    if (storedAt === null) return false;
    if (waiver !== null) return true;
    const { verdicts, knownOnly } = this.accepted;
    if (verdict === "unknown" && hasExtension(name, knownOnly)) return false;
    return verdicts.some((accepted) => accepted === verdict);
  }

  /** The path of a file below the directory that refusals name it from. */
  #named(path: string): string {
    return path.slice(this.directory === "" ? 0 : this.directory.length + 1);
  }

  #quarantined(files: readonly RefusedFile[]): AppError {
    return quarantined(files.map((file) => ({ ...file, path: this.#named(file.path) })));
  }

  /**
   * Admits all files of a collection, or none.
   *
   * @throws {AppError} `ErrResourcesQuarantined` or `ErrResourcesRefused` when one is refused.
   */
  async admitAll(files: FileCollection): Promise<void> {
    const refused = await files.refused(this.accepted, MAX_NAMED + 1);
    if (refused.length > 0) {
      throw this.#quarantined(
        refused.map((file) => ({ ...file, verdict: this.verdicts.shown(file.verdict) })),
      );
    }
    if (this.rules?.canRefuse !== true) return;
    for await (const page of files.pages()) {
      const found = await this.refusals(page.map((file) => ({ ...file, name: nameOf(file.path) })));
      const refusal = found.find((it) => it !== undefined);
      if (refusal !== undefined) throw refusal;
    }
  }

  /**
   * Whether content that was opened since is what was admitted.
   *
   * @throws {AppError} `ErrResourcesQuarantined` or `ErrResourcesRefused` when it is refused by now.
   */
  async confirm(admitted: Admission): Promise<boolean> {
    return (await this.admit(admitted)).storedAt === admitted.storedAt;
  }

  /**
   * Whether the content of a file of an admitted collection is what was admitted.
   *
   * @throws {AppError} `ErrResourcesQuarantined` or `ErrResourcesRefused` when it is refused by now.
   */
  async confirmFile({ userId, path, hash, size, storedAt }: CollectedFile): Promise<boolean> {
    const admitted = await this.admit({ userId, path, hash, size, name: nameOf(path) });
    return admitted.storedAt === storedAt;
  }
}
