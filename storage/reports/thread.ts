import type { ValidateReport } from "../../core/reports.ts";
import type { ReportTasks } from "./worker.ts";
import { WorkerPool } from "../threads/pool.ts";
import { WORKERS } from "../threads/workers.ts";

/** A thread that judges reports, one after the other; it starts with the first one. */
export class ReportThread implements Disposable {
  readonly #pool = new WorkerPool<ReportTasks>(WORKERS.report, 1);

  /** Moves the body there: its sender loses it. */
  readonly validate: ValidateReport = async (body) => {
    using hired = this.#pool.acquire();
    return await hired.remote.validateReport(body);
  };

  [Symbol.dispose](): void {
    this.#pool[Symbol.dispose]();
  }
}
