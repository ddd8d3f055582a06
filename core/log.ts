/** How much a log line matters, from least to most. */
export const LOG_LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = typeof LOG_LEVELS[number];

/** `text` is for people, `json` for machines: one object a line. */
export const LOG_FORMATS = ["text", "json"] as const;
export type LogFormat = typeof LOG_FORMATS[number];

/** What a line says besides its message. Undefined fields are left out; an error is its stack. */
export type LogFields = Readonly<Record<string, string | number | boolean | Error | undefined>>;

export interface LogOptions {
  /** Lines that matter less are dropped. */
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly write: (line: string) => void;
}

/**
 * Writes log lines. Whatever a value holds, it stays one line, and nothing in it can pass for
 * another field or another line.
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
    const { level: least, format } = this.#options;
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(least)) return;
    const time = new Date().toISOString();
    const values = Object.entries(fields).filter(([, value]) => value !== undefined).map((
      [key, value],
    ) => [key, value instanceof Error ? errorText(value) : value] as const);
    if (format === "json") {
      const line = { time, level, msg: message, ...Object.fromEntries(values) };
      this.#write(escapeControls(JSON.stringify(line)));
      return;
    }
    const pairs = values.map(([key, value]) => ` ${key}=${plain(String(value))}`);
    this.#write(`${time} ${level.toUpperCase().padEnd(5)} ${message}${pairs.join("")}`);
  }

  #write(line: string): void {
    try {
      this.#options.write(line);
    } catch {
      // The disk of the log is full, or nobody reads it any more: no reason to stop, and nowhere
      // left to say it.
    }
  }
}

/** Anything thrown, as an `Error` that {@link LogFields} takes. */
export function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}

/** The stack of an error and of what caused it. */
function errorText(error: Error): string {
  const own = error.stack ?? `${error.name}: ${error.message}`;
  return error.cause instanceof Error ? `${own}\nCaused by: ${errorText(error.cause)}` : own;
}

/** A value as it is where it can't be misread, else in quotes with everything unusual escaped. */
function plain(value: string): string {
  return /^[\w./:@%+,-]+$/.test(value) ? value : escapeControls(JSON.stringify(value));
}

/** JSON leaves these characters alone, though terminals and log readers do not. */
function escapeControls(text: string): string {
  return text.replaceAll(
    /[\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
