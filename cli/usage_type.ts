/** How to use a command. */
export interface Usage {
  /** One line without a full stop. */
  readonly summary: string;
  /** What may follow `strongroom`. */
  readonly forms: readonly string[];
  readonly details?: string;
  /** Commands for a shell. */
  readonly examples: readonly string[];
  /** Whether arguments, or values of options, are paths of this machine. @default false */
  readonly takesFiles?: boolean;
  /**
   * Which arguments are paths of a server: all, or those that begin with a colon.
   *
   * @default none
   */
  readonly remotePaths?: "all" | "colon";
  /** The values that an option takes, by its long name. @default any */
  readonly values?: Readonly<Record<string, readonly string[]>>;
}
