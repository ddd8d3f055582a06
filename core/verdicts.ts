/** Verdicts on files, and the waivers that overrule them (C 18). */

import type { Facts } from "../schemas/facts.ts";
import type { ScannedVerdict, Verdict } from "../schemas/verdict_names.ts";

const DAY_MS = 24 * 60 * 60_000;
/** The days whose verdicts are told. */
const SHOWN_DAYS = 30;

/**
 * The copy of content that a user has under a name: scanners match by name, too. What is known of it was
 * found for this user. Whether others have the same content shows nowhere (C 31).
 */
export interface NamedContent {
  /** Whose tree it is in. */
  readonly userId: number;
  readonly hash: string;
  /** The last segment of the path. */
  readonly name: string;
}

/** A finding of a verdict. */
export interface VerdictFinding {
  readonly ruleCode: string | null;
  readonly severity: "critical" | "warning" | "info" | "debug";
  readonly message: string;
  /** Where in the file, such as `:member (pos 3)`, if that is known. */
  readonly location?: string;
  /** Why it is a concern, if there is more to say than its rule does. */
  readonly why?: string;
}

/** Content that is let through whatever its verdict is. Times are milliseconds since the Unix epoch. */
export interface Waiver {
  readonly id: number;
  /** In lower-case hex. */
  readonly sha256: string;
  readonly reason: string;
  /** Who gave it. */
  readonly userId: number;
  readonly createdAt: number;
  /** When it ceases to count; null for never. */
  readonly expiresAt: number | null;
}

/** What is known of content under a name. */
export interface ContentVerdict {
  readonly verdict: Verdict;
  /** The id of the first scanner that reads it, or its kind; null without a result. */
  readonly format: string | null;
  /** The worst three, worst first. */
  readonly findings: readonly VerdictFinding[];
  /** Why its scan failed. */
  readonly problem: string | null;
  readonly scannerVersion: string | null;
  /** When its scan ended, in milliseconds since the Unix epoch. */
  readonly scannedAt: number | null;
  /** The newest waiver that has not expired. */
  readonly waiver: Waiver | null;
  /** The SHA-256 of the content, or null if it is not known. */
  readonly sha256: string | null;
  /**
   * When the content was stored, in milliseconds since the Unix epoch; null for missing content. It
   * differs after other content with the same MD5 has taken its place.
   */
  readonly storedAt: number | null;
}

/** What content says of itself (C 29). */
export interface KnownFacts {
  readonly facts: Facts;
  /** Whether a scan has read it for that. */
  readonly isRead: boolean;
}

/** A record whose content under its name has a verdict. */
export interface JudgedRecord {
  readonly id: number;
  readonly userId: number;
  readonly path: string;
}

/** The verdict on a file, which is new, or a waiver of its content is, as its owner's subscribers receive it (C 18). */
export interface VerdictEvent {
  readonly type: "resource.verdict";
  readonly record: JudgedRecord;
  readonly verdict: Verdict;
}

/** Content to scan. */
export interface UnscannedContent extends NamedContent {
  readonly size: number;
}

/** The contents without a verdict among some records. */
export interface UnscannedPage {
  readonly contents: readonly UnscannedContent[];
  /** The highest id that was looked at, or undefined at the end of the records. */
  readonly lastId: number | undefined;
}

/** A page of a list of waivers. */
export interface WaiverPage {
  readonly limit: number;
  /** Only waivers with a lower id. */
  readonly before?: number | undefined;
}

/** How many contents, each under its names, have a verdict of a day. */
export interface VerdictsOfDay {
  /** The beginning of the day in UTC, in milliseconds since the Unix epoch. */
  readonly day: number;
  readonly verdict: ScannedVerdict;
  readonly files: number;
}

/** The stored verdicts and waivers. Only results of the current version of the scanners count. */
export interface VerdictStore {
  /** The verdicts on contents, in their order. Without a scan it is `unscanned` or `pending`. */
  verdictsOf(contents: readonly NamedContent[]): Promise<ContentVerdict[]>;
  /** What contents say of themselves, in their order. */
  factsOf(contents: readonly NamedContent[]): Promise<KnownFacts[]>;
  /** Whether a scan of content has something to find out, as it has no verdict or no facts of this version. */
  isUnscanned(content: NamedContent): Promise<boolean>;
  /** The verdicts on contents of a user by the days of their scans, since the beginning of a day. */
  daysOf(userId: number, since: number): Promise<VerdictsOfDay[]>;
  /** The first records of the user with the content and the name after the id `after`, by id. */
  recordsOf(content: NamedContent, after: number): Promise<JudgedRecord[]>;
  /** The first records with the content after the record `after`, by user and id. @default after none */
  recordsWith(
    sha256: string,
    after?: Pick<JudgedRecord, "userId" | "id">,
  ): Promise<(JudgedRecord & NamedContent)[]>;
  /** The contents whose waivers have expired after a time, and until another one, as SHA-256. */
  expiredBetween(after: number, until: number): Promise<string[]>;
  /** The contents of the next records after an id that have neither a result with facts nor a failed scan. */
  unscannedAfter(id: number): Promise<UnscannedPage>;
  addWaiver(waiver: Omit<Waiver, "id">): Promise<Waiver>;
  /** The waivers, expired ones as well, newest first. */
  listWaivers(page: WaiverPage): Promise<Waiver[]>;
  /** Returns the removed waiver, or undefined if there was none. */
  removeWaiver(id: number): Promise<Waiver | undefined>;
}

/** A collected file that the gate refuses. */
export interface RefusedFile {
  readonly path: string;
  readonly verdict: Verdict;
  readonly ruleCodes: readonly string[];
}

/** The rule codes of findings, each once. */
export function ruleCodesOf(findings: readonly VerdictFinding[]): string[] {
  return [...new Set(findings.flatMap(({ ruleCode }) => ruleCode === null ? [] : [ruleCode]))];
}

/** The verdicts as callers see them: with the gate on, a scan of what is unscanned is on its way. */
export class Verdicts {
  constructor(
    private readonly store: VerdictStore,
    /** Whether files are scanned when they arrive. */
    private readonly isAutomatic: boolean,
  ) {}

  /** The verdicts on contents, in their order. */
  async of(contents: readonly NamedContent[]): Promise<ContentVerdict[]> {
    const found = await this.store.verdictsOf(contents);
    return found.map((it) => ({ ...it, verdict: this.shown(it.verdict) }));
  }

  /** What contents say of themselves, in their order (C 29). */
  factsOf(contents: readonly NamedContent[]): Promise<KnownFacts[]> {
    return this.store.factsOf(contents);
  }

  /** The verdict on one content. */
  async on(content: NamedContent): Promise<ContentVerdict> {
    const [found] = await this.of([content]);
    if (found === undefined) throw new Error("No verdict was returned");
    return found;
  }

  /** The verdicts on contents of a user by the days of their scans, oldest first: today's and those of 29 days before. */
  async days(userId: number): Promise<ReadonlyMap<number, ReadonlyMap<ScannedVerdict, number>>> {
    const since = (Math.floor(Date.now() / DAY_MS) - SHOWN_DAYS + 1) * DAY_MS;
    const found = Map.groupBy(await this.store.daysOf(userId, since), ({ day }) => day);
    return new Map(
      Array.from({ length: SHOWN_DAYS }, (_, index) => since + index * DAY_MS).map((day) => [
        day,
        new Map(found.get(day)?.map(({ verdict, files }) => [verdict, files])),
      ]),
    );
  }

  /** The verdict to show for a stored one. */
  shown(verdict: Verdict): Verdict {
    return verdict === "unscanned" && this.isAutomatic ? "pending" : verdict;
  }
}

/** Which verdicts the gate accepts. */
export interface AcceptedVerdicts {
  readonly verdicts: readonly ScannedVerdict[];
  /** The extensions, in lower case, of files that are refused if their format is unknown (C 31). */
  readonly knownOnly: readonly string[];
}
