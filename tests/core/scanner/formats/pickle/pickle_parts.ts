import { bytes, gl } from "./pickle_bytes.ts";

/** PROTO with protocol 2 and 4. */
export const P2 = bytes(0x80, 2);
export const P4 = bytes(0x80, 4);
/** TUPLE1, TUPLE2 and TUPLE3. */
export const T1 = bytes(0x85);
export const T2 = bytes(0x86);
export const T3 = bytes(0x87);
export const TRUE = bytes(0x88);
export const FALSE = bytes(0x89);
export const STACK_GLOBAL = bytes(0x93);
export const MEMOIZE = bytes(0x94);
/** EMPTY_TUPLE and NEWOBJ. */
export const NEWOBJ = bytes(")\x81");

/** Calls os.getpid, which is harmless, and stops. */
export const PAYLOAD = bytes(gl("os", "getpid"), ")R.");
