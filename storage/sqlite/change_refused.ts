/** Why work cannot be carried out now, or in one transaction. */

/** Thrown by work that has to be carried out as a large change of the records of these users. */
export class TooLarge extends Error {
  override readonly name = "TooLarge";

  constructor(readonly userIds: readonly number[]) {
    super("A change of so many records takes turns with other writes");
  }
}

/** Thrown by work on records that a large change is changing. */
export class Busy extends Error {
  override readonly name = "Busy";

  /** @param ended Resolves when the work can be tried again. */
  constructor(readonly ended: Promise<void>) {
    super("A large change of these records is going on");
  }
}
