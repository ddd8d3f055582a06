import type { ValidateReport } from "../../core/reports.ts";
import type { ReportTasks } from "./report_worker.ts";
import { WorkerPool } from "../threads/pool.ts";
import { WORKERS } from "../threads/workers.ts";

/** Validates reports in one worker thread, which the first report starts. */
export class ReportThread implements Disposable {
  readonly #pool = new WorkerPool<ReportTasks>(WORKERS.report, 1, {});

  /** Validates a report. Transfers `body` to the worker, so the caller can no longer use it. */
  readonly validate: ValidateReport = async (body) => {
    using worker = this.#pool.acquire();
    return await worker.remote.validateReport(body);
  };

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }
}
