import { inertLines } from "../schemas/printable.ts";

/** The severities of log lines, lowest first. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** `text` is for people; `json` is for machines, one object per line. */
export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = typeof LOG_FORMATS[number];

/** The fields of a line. Undefined fields are left out; an error is written as its stack trace. */
export type LogFields = Readonly<Record<string, string | number | boolean | Error | undefined>>;

export interface LogOptions {
  /** Lines of lower severity are dropped. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly write: (line: string, level: LogLevel) => void;
}

/**
 * Writes log lines. A value cannot break out of its line or pass for another field, whatever
 * characters it contains.
 */
export class Log {
  readonly #options: LogOptions;

  constructor(options: LogOptions) {
    this.#options = options;
  }

  debug(message: string, fields: LogFields = {}): void {
    this.#line("debug", message, fields);
  }

  info(message: string, fields: LogFields = {}): void {
    this.#line("info", message, fields);
  }

  warn(message: string, fields: LogFields = {}): void {
    this.#line("warn", message, fields);
  }

  error(message: string, fields: LogFields = {}): void {
    this.#line("error", message, fields);
  }

  #line(level: LogLevel, message: string, fields: LogFields): void {
    const { level: minimum, format } = this.#options;
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minimum)) return;
    const time = new Date().toISOString();
    if (format === "json") {
      const line = { time, level, msg: message, ...fields };
      // Without a replacer, in a third of the time.
      const replacer = Object.values(fields).some(isError) ? errorAsText : undefined;
      this.#write(inertLines(JSON.stringify(line, replacer)), level);
      return;
    }
    let pairs = "";
    for (const [key, value] of Object.entries(fields)) {
      if (value !== undefined) pairs += ` ${key}=${plain(String(errorAsText(key, value)))}`;
    }
    this.#write(`${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs}`, level);
  }

  #write(line: string, level: LogLevel): void {
    try {
      this.#options.write(line, level);
    } catch {
      // The disk is full or the reader is gone. There is nowhere left to report that, and it is no
      // reason to stop.
    }
  }
}

/** Anything thrown, as an `Error` that {@link LogFields} takes. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The value of a field, as it is written. */
function errorAsText(_key: string, value: unknown): unknown {
  return isError(value) ? errorText(value) : value;
}

function isError(value: unknown): value is Error {
  return value instanceof Error;
}

/** The stack traces of an error and its causes. */
function errorText(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}\nCaused by: ${errorText(error.cause)}` : own;
}

/** A plain value unchanged; any other in quotes, with special characters escaped. */
function plain(value: string): string {
  return /^[\w./:@%+,-]+$/.test(value) ? value : inertLines(JSON.stringify(value));
}
