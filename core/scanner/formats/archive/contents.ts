import { listedName } from "./entry_path.ts";

/** The most members that are named in an asset. */
const MOST_LISTED = 2000;

/** A member as an asset has it (SR 2.2). */
export interface ListedMember {
  readonly name: string;
  readonly size: number;
  readonly compressed_size?: number;
  readonly type?: string;
}

/** What an archive holds, for its asset and its metadata: a bounded list, and how many there are. */
export class ArchiveContents {
  readonly #listed: Record<string, unknown>[] = [];
  #entries = 0;

  /** Adds a member; numbers that are none are left out. */
  add(member: ListedMember): void {
    this.#entries++;
    if (this.#listed.length >= MOST_LISTED) return;
    const known = Object.entries({ ...member, name: listedName(member.name) }).filter(([, value]) =>
      !Number.isNaN(value)
    );
    this.#listed.push(Object.fromEntries(known));
  }

  /** The members, as many as are named. */
  get listed(): readonly Readonly<Record<string, unknown>>[] {
    return this.#listed;
  }

  /** The number of members, as metadata has it. */
  facts(): Record<string, unknown> {
    return { archive_entries: this.#entries };
  }
}
