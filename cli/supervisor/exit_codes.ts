/** The exit code of a server whose settings or arguments are wrong. */
export const USAGE_EXIT_CODE = 2;
/** That of one that could not go on without an engine, which may come back (EX_TEMPFAIL of sysexits.h). */
export const AWAY_EXIT_CODE = 75;
/** That of one that a second signal ended. */
export const INTERRUPTED_EXIT_CODE = 130;
