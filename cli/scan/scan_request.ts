import * as v from "valibot";
import { AppError } from "../../core/errors.ts";
import { REPORT_FORMATS, type ReportFormat } from "../../core/scanner/mod.ts";
import { skippedScanners } from "../../core/scans/selection.ts";
import { parsedArgs } from "../arguments.ts";
import { UsageError } from "../usage_error.ts";

/** What to scan, and how to tell of it. */
export interface LocalScanRequest {
  readonly paths: readonly string[];
  readonly format: ReportFormat;
  /** Ids of the scanners that do not run. */
  readonly skip: readonly string[];
}

/**
 * What `strongroom scan` is asked for (C 16).
 *
 * @throws {UsageError} where it can't be had.
 */
export function scanRequest(args: string[]): LocalScanRequest {
  const { values, positionals: paths } = parsedArgs({
    args,
    options: {
      format: { type: "string", default: "json" },
      scanners: { type: "string" },
    },
    strict: true,
    allowPositionals: true,
  });
  const format = v.safeParse(v.picklist(REPORT_FORMATS), values.format);
  if (!format.success) throw new UsageError(`No format "${values.format}": json, text or sarif`);
  if (paths.length === 0) throw new UsageError("The path of a file or directory is needed");
  const skip = values.scanners === undefined ? [] : skippedBy(values.scanners.split(","));
  return { paths, format: format.output, skip };
}

function skippedBy(scanners: readonly string[]): string[] {
  try {
    return skippedScanners(scanners);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(error.message, { cause: error });
  }
}
