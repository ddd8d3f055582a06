import type { BrokenRule } from "../tables/record_audit.ts";
import { isUnnameable } from "../tables/dialect.ts";
import { SQLITE } from "./dialect.ts";

const MD5 = "[0-9a-f]".repeat(32);

/** Conditions that no record fulfills (C 5.1 to C 5.3). */
export const BROKEN = {
  path: `path IS NOT ifnull(parent || '/', '') || name OR name = '' OR instr(name, '/') > 0
    OR user_id <= 0`,
  name: isUnnameable(SQLITE),
  directory: `is_dir AND (hash <> '' OR size <> 0 OR crc32 <> 0)`,
  file: `NOT is_dir AND (hash NOT GLOB '${MD5}' OR size < 0 OR crc32 < 0)`,
  ancestor: `parent IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM records AS above
    WHERE above.user_id = records.user_id AND above.path = records.parent AND above.is_dir
  )`,
} as const satisfies Record<BrokenRule, string>;
