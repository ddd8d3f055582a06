/** Work that may still be done, or memory that may still be taken. */
export interface Budget {
  left: number;
}
