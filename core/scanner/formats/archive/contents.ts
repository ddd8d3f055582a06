import { listedName } from "./entry_path.ts";

const MAX_LISTED_MEMBERS = 2000;

/** A member as listed in an asset (SR 2.2). Unknown sizes are NaN. */
export interface ListedMember {
  readonly name: string;
  readonly size: number;
  readonly compressed_size?: number;
  readonly type?: string;
}

/** Collects the members of an archive for its asset: a bounded list, and the total count. */
export class ArchiveContents {
  readonly #listed: Record<string, unknown>[] = [];
  #entries = 0;

  /** Adds a member. Sizes that are NaN are left out. */
  add(member: ListedMember): void {
    this.#entries++;
    if (this.#listed.length >= MAX_LISTED_MEMBERS) return;
    const known = Object.entries({ ...member, name: listedName(member.name) }).filter(([, value]) =>
      !Number.isNaN(value)
    );
    this.#listed.push(Object.fromEntries(known));
  }

  /** The first members, up to the limit of the list. */
  get listed(): readonly Readonly<Record<string, unknown>>[] {
    return this.#listed;
  }

  /** The number of all members, as metadata of the file. */
  facts(): Readonly<Record<string, unknown>> {
    return { archive_entries: this.#entries };
  }
}
