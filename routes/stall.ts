/**
 * How long a client may neither send nor take anything, in milliseconds: one that is gone need not
 * say so, and what is held for it would be held for ever.
 */
export const STALL_MS = 120_000;
