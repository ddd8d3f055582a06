/** How long a text among facts may be, in UTF-16 code units. */
export const MAX_FACT_LENGTH = 200;

/** How many entries a list among facts may have. */
export const MAX_FACT_ITEMS = 50;
