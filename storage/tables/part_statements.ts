import type { Dialect } from "./dialect.ts";

/** All statements about what unfinished uploads have received, by name. */
export const partStatements = ({ forShare }: Dialect) => ({
  takeUpload: `UPDATE uploads SET turn = turn + 1
    WHERE id = :id AND received = :received AND completed_at IS NULL RETURNING turn`,
  /** The next request has to wait until this transaction has ended. */
  holdUpload: `SELECT id FROM uploads
    WHERE id = :id AND turn = :turn AND completed_at IS NULL ${forShare}`,
  parts: "SELECT position, size, object FROM upload_parts WHERE upload = :id ORDER BY position",
  partBytes: "SELECT size, bytes FROM upload_parts WHERE upload = :id AND position = :position",
  dropParts: `DELETE FROM upload_parts WHERE upload = :id AND position >= :position
    RETURNING position`,
  shortenPart: `UPDATE upload_parts SET size = :position - position
    WHERE upload = :id AND position < :position AND position + size > :position
    RETURNING position`,
  addPart: `INSERT INTO upload_parts (upload, position, size, bytes, object)
    VALUES (:id, :position, :size, :bytes, :object)`,
  endArrival: "DELETE FROM objects WHERE key = :object AND state = 'arriving' RETURNING key",
});
