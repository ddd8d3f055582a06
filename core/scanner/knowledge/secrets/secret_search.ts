import type { Finding } from "../../contract/checklist.ts";
import { KIB } from "../../../../schemas/units.ts";
import { findAssignedSecrets, findSecrets, type Secret, secretByName } from "./find_secrets.ts";
import { secretFinding } from "./secret_finding.ts";

/** Texts are searched together once they have this many characters. */
const BATCH_CHARACTERS = 64 * KIB;

/** Shorter texts hold no credential of a known shape, and none that a name gives away. */
const MIN_CHARACTERS = 6;

/** How every name ends that gives a credential away, for a quick check. */
const TELLING_END = /(?:pass(?:word|wd|phrase)|pwd|key|token|secret|credentials?)$/i;

/** Shorter texts hold no credential of a known shape, nor a name with a credential. */
const MIN_SHAPED_CHARACTERS = 12;

/** Between texts. No pattern matches it within a credential. */
const SEPARATOR = "\n\0\n";

/**
 * Searches many short texts for credentials, such as the strings of a pickle: together, since a search
 * costs as much for a word as for a page.
 */
export class SecretSearch {
  readonly #onFound: (finding: Finding) => void;
  readonly #where: string;
  #texts: string[] = [];
  /** The position in the content of each text. */
  #positions: number[] = [];
  #length = 0;

  /** @param where What contains the texts, such as `A string of the pickle`. */
  constructor(where: string, onFound: (finding: Finding) => void) {
    this.#where = where;
    this.#onFound = onFound;
  }

  /**
   * Adds a text.
   *
   * @param name The name that the content gives it, if any, such as its key.
   * @param position Its offset in the content.
   */
  add(text: string, position: number, name?: string): void {
    if (text.length < MIN_CHARACTERS) return;
    const mayTell = name !== undefined && TELLING_END.test(name);
    const named = mayTell ? secretByName(name, text) : undefined;
    if (named !== undefined && findSecrets(text).next().done === true) {
      this.#report(named, position);
    }
    if (text.length < MIN_SHAPED_CHARACTERS) return;
    this.#texts.push(text);
    this.#positions.push(position);
    this.#length += text.length + SEPARATOR.length;
    if (this.#length >= BATCH_CHARACTERS) this.finish();
  }

  /** Searches the texts that were added since the last search. */
  finish(): void {
    const whole = this.#texts.join(SEPARATOR);
    const found = [...findSecrets(whole), ...findAssignedSecrets(whole)]
      .sort((a, b) => a.position - b.position);
    let index = 0;
    let end = this.#texts[0]?.length ?? 0;
    for (const secret of found) {
      while (secret.position > end && index + 1 < this.#texts.length) {
        index++;
        end += SEPARATOR.length + (this.#texts[index]?.length ?? 0);
      }
      this.#report(secret, this.#positions[index] ?? 0);
    }
    this.#texts = [];
    this.#positions = [];
    this.#length = 0;
  }

  #report(secret: Secret, position: number): void {
    this.#onFound(secretFinding(secret, position, this.#where));
  }
}
