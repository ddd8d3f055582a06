import * as v from "valibot";
import { closedObject } from "./containers.ts";
import { flag, fraction, orNull, text, uri } from "./values.ts";

/** SR 2.11. */
export const LicenseInfo = closedObject({
  spdx_id: orNull(text),
  name: orNull(text),
  url: orNull(uri),
  text: orNull(text),
  confidence: v.optional(fraction, 0),
  /** Where it was found. */
  source: orNull(text),
  commercial_allowed: orNull(flag),
});

/** SR 2.12. */
export const CopyrightNotice = closedObject({
  holder: text,
  year: orNull(text),
  text: orNull(text),
  confidence: v.optional(fraction, 0),
});
