/** A value that a server measures, for `GET /metrics` (C 1). */
export interface Metric {
  /** In Prometheus's form, such as `strongroom_scans_running`. */
  readonly name: string;
  readonly type: "counter" | "gauge";
  /** What it counts, and in which unit. */
  readonly help: string;
  /** One value, or one for each value of a label. */
  readonly samples: number | LabeledSamples;
}

/** Values by the value of one label. Neither needs escaping: they are known names, never a request's. */
export interface LabeledSamples {
  readonly label: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Measures when the metrics are read. */
export type Measure = () => readonly Metric[] | Promise<readonly Metric[]>;
