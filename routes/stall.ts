/**
 * How long a client may send nothing, in milliseconds: one that is gone need not say so, and what is
 * held for it would be held for ever.
 */
export const SEND_STALL_MS = 120_000;
/**
 * How long a client may take nothing, in milliseconds. That it takes some is seen only when much of
 * the socket's buffer, which may be megabytes, has room again: a slow client needs this long for it.
 */
export const TAKE_STALL_MS = 20 * 60_000;
