import type { ValidateReport } from "../core/reports.ts";
import type { ReportTasks } from "./report_worker.ts";
import { WorkerPool } from "./worker_pool.ts";

/** A thread that judges reports, one after the other; it starts with the first one. */
export class ReportThread implements Disposable {
  readonly #pool = new WorkerPool<ReportTasks>(new URL("./report_worker.ts", import.meta.url), 1);

  /** Moves the body there: its sender loses it. */
  readonly validate: ValidateReport = async (body) => {
    using hired = this.#pool.hire();
    return await hired.remote.validateReport(body);
  };

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }
}
