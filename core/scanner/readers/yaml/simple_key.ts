import type { YamlCursor } from "./cursor.ts";

/** A colon must follow the beginning of a simple key within this many characters. */
const MAX_DISTANCE = 1024;

const MAX_BYTES_PER_CHARACTER = 4;

/** Where a node began that is a simple key if a colon follows it. */
interface KeyStart {
  /** The offset of the node or of its properties. */
  readonly at: number;
  readonly lineStart: number;
  /** Whether a key may begin there. */
  readonly isAllowed: boolean;
  /** Whether nothing but a key may begin there. */
  readonly isRequired: boolean;
}

/** The node that may turn out to be a simple key: one that is known by the colon after it. */
export class SimpleKey {
  /** Whether a key may begin at the cursor. */
  isAllowed = true;
  readonly #cursor: YamlCursor;
  #start: KeyStart | undefined;
  /** The nodes that the open flow collections are. */
  #enclosing: (KeyStart | undefined)[] = [];

  constructor(cursor: YamlCursor) {
    this.#cursor = cursor;
  }

  /** The column at which the node began. */
  get column(): number {
    return this.#start === undefined ? this.#cursor.column : this.#start.at - this.#start.lineStart;
  }

  /** The node or its properties begin here. */
  begin(isRequired: boolean): void {
    if (!this.isAllowed && this.#start !== undefined) return;
    const { at, lineStart } = this.#cursor;
    this.#start = { at, lineStart, isAllowed: this.isAllowed, isRequired };
    this.isAllowed = false;
  }

  /** Whether a colon at an index makes the node a key. */
  isKeyBefore(colon: number): boolean {
    const start = this.#start;
    if (start === undefined || !start.isAllowed) return false;
    if (start.lineStart !== this.#cursor.lineStart) return false;
    const bytes = colon - start.at;
    if (bytes <= MAX_DISTANCE) return true;
    if (bytes > MAX_DISTANCE * MAX_BYTES_PER_CHARACTER) return false;
    const following = this.#cursor.text.slice(start.at, colon).match(/[\x80-\xbf]/g) ?? [];
    return bytes - following.length <= MAX_DISTANCE;
  }

  /** Records that the node is not a key. Returns whether it had to be one. */
  drop(): boolean {
    const isRequired = this.#start?.isRequired ?? false;
    this.#start = undefined;
    return isRequired;
  }

  /** The node is a flow collection, whose elements follow. */
  enterFlow(): void {
    this.#enclosing.push(this.#start);
    this.#start = undefined;
    this.isAllowed = true;
  }

  leaveFlow(): void {
    this.#start = this.#enclosing.pop();
    this.isAllowed = false;
  }

  /** A document begins or ends. */
  reset(): void {
    this.#start = undefined;
    this.#enclosing = [];
    this.isAllowed = false;
  }
}
