/** How long a text among facts may be, in UTF-16 code units. */
export const MAX_FACT_LENGTH = 200;

/** How long the words of a card are together, in UTF-16 code units: an index has the parts of all of them. */
export const MAX_CARD_LENGTH = 1000;

/** How many entries a list among facts may have. */
export const MAX_FACT_ITEMS = 50;
