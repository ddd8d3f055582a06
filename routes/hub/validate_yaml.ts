import { type Handled, hubJson } from "./replies.ts";

/**
 * `POST /api/validate-yaml` (C 20): clients ask for it before they send a README.md. Nothing here depends on
 * the metadata in it, so all are accepted, unread.
 */
export function postValidateYaml(c: Handled): Response {
  return hubJson(c, { errors: [], warnings: [] });
}
