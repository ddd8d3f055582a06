/**
 * What can be reached in a value: nothing that can be called, allowed classes and functions, or what
 * must be looked at before a call gets it.
 */
export type Level = typeof INERT | typeof CALLABLE | typeof SUSPECT;
export const INERT = 0;
export const CALLABLE = 1;
export const SUSPECT = 2;
