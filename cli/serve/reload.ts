import { asError, type Log } from "../../core/log.ts";

/** Reads again what can change while the server runs. Changes nothing if it throws. */
export type Reload = () => Promise<void>;

/**
 * Reloads at each SIGHUP, from now on, what {@link Reloads.add} was given: the one place for files that the
 * server reads at its start, such as secrets. The signal never ends the server.
 */
export class Reloads {
  readonly #log: Log;
  readonly #reloads: Reload[] = [];
  /** Reloads come one after the other. */
  #turn: Promise<void> = Promise.resolve();

  constructor(log: Log) {
    this.#log = log;
    Deno.addSignalListener("SIGHUP", () => {
      this.#turn = this.#turn.then(() => this.#reloadAll());
    });
  }

  add(reload: Reload): void {
    this.#reloads.push(reload);
  }

  async #reloadAll(): Promise<void> {
    try {
      for (const reload of this.#reloads) await reload();
    } catch (error) {
      this.#log.error("Cannot reload; what was loaded before stays", { error: asError(error) });
      return;
    }
    this.#log.info("Reloaded", {
      files: "secrets and keys of credentials, the certificate, the rules",
      restartFor: "settings of the environment",
    });
  }
}
