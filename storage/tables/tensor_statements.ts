import { TENSORS_VERSION } from "../../core/scanner/versions.ts";
import type { Dialect } from "./dialect.ts";

const IS_CURRENT = `version = ${TENSORS_VERSION}`;

/** All statements about lists of tensors, by name. */
export const tensorStatements = ({ hex }: Pick<Dialect, "hex">) => ({
  /** Of the content that is stored now: another one may have had the same MD5. */
  find: `SELECT format, ${
    hex("kept.sha256")
  } AS read_sha256, problem, lines FROM tensor_lists AS kept
    JOIN contents ON contents.hash = kept.hash
    WHERE kept.hash = :hash AND user_id = :user AND name = :name AND ${IS_CURRENT}
      AND kept.sha256 = coalesce(contents.sha256, kept.sha256)`,
  keep: `INSERT INTO tensor_lists (hash, user_id, name, version, sha256, format, problem, lines)
    SELECT :hash, :user, :name, ${TENSORS_VERSION}, :sha256, :format, :problem, :lines FROM contents
    WHERE hash = :hash AND coalesce(sha256, :sha256) = :sha256
    ON CONFLICT (hash, user_id, name) DO UPDATE SET version = excluded.version,
      sha256 = excluded.sha256, format = excluded.format, problem = excluded.problem,
      lines = excluded.lines`,
});

export type TensorStatement = keyof ReturnType<typeof tensorStatements>;
