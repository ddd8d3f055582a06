/** What is in the register of people: a person, or a team, which has a tree and no credential (C 27). */
export type PersonKind = "person" | "team";

/** Who an issuer says that somebody is (OpenID Connect, 2). */
export interface Identity {
  /** The claim `iss`. */
  readonly issuer: string;
  /** The claim `sub`. */
  readonly subject: string;
}

/** A person or a team (C 27). Times are in milliseconds since the Unix epoch. */
export interface Person {
  /** The id of the user (RS 2). It is never given again. */
  readonly number: number;
  readonly kind: PersonKind;
  /** In lower case; see `names.ts`. */
  readonly name: string;
  readonly email: string | undefined;
  /** By which its privileges are found. A team has none. */
  readonly groups: readonly string[];
  /** As what it signs in by OpenID Connect. */
  readonly identity: Identity | undefined;
  readonly createdAt: number;
  /** Undefined unless it is disabled: then its credentials, sessions and links count for nothing. */
  readonly disabledAt: number | undefined;
}

/** A person or a team that is about to be added. */
export interface NewPerson extends Omit<Person, "number" | "disabledAt"> {
  /** Of a tree that is there already, for example. @default one that nobody has had */
  readonly number?: number | undefined;
}

/** What is to change of a person or a team. What is left out stays. */
export interface PersonChange {
  readonly name?: string | undefined;
  /** Null for none. */
  readonly email?: string | null | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly identity?: Identity | undefined;
  readonly disabled?: boolean | undefined;
}

/** What another one has, so that a person could not be added or changed. */
export type Taken = "name" | "number" | "identity";

/** A page of people or teams, by name. */
export interface PersonPage {
  readonly kind: PersonKind;
  readonly limit: number;
  /** The name of the last one of the page before. */
  readonly after?: string | undefined;
}

/**
 * The people and teams of a strongroom (C 27). Other processes may change it at any time. Names that they
 * once had go on naming them, and nobody else can have them.
 */
export interface PeopleStore {
  findByNumber(number: number): Promise<Person | undefined>;
  /** @param name In lower case. */
  findByName(name: string): Promise<Person | undefined>;
  findByIdentity(identity: Identity): Promise<Person | undefined>;
  list(page: PersonPage): Promise<Person[]>;
  /** Adds a person or a team. Returns what another one has, if so, and adds nothing. */
  add(person: NewPerson): Promise<Person | Taken>;
  /**
   * Changes a person or a team; undefined if there is none. Who is disabled, or enabled again, has no credential
   * any more of those that were issued before; no server takes one for valid when this resolves (C 27).
   *
   * @param now In milliseconds since the Unix epoch.
   */
  change(number: number, change: PersonChange, now: number): Promise<Person | Taken | undefined>;
}
