import type { Instruction } from "./parser.ts";

/**
 * Watches the frames of protocol 4. The C unpickler takes a frame for a hint of how much to read, and
 * the Python one for a border; a stream on which they differ was made to be read in two ways.
 */
export class Frames {
  /** Where the frame that is open ends, or -1 where none is. */
  #end = -1;
  /** What is wrong with them, in words. */
  fault: string | undefined;

  /** Takes an instruction into account, before the next one. */
  pass({ opcode, at, end, number }: Instruction): void {
    if (this.#end >= 0 && at >= this.#end) this.#end = -1;
    if (opcode.name === "FRAME") {
      if (this.#end > end) this.fault = "A frame begins within another";
      this.#end = end + Number(number);
    } else if (this.#end >= 0 && end > this.#end) {
      this.fault = "A frame ends within an instruction";
    }
  }

  /**
   * Where the frame ends in which the stream was stopped, behind which a loader goes on with the
   * next; undefined where it ends with the stream.
   */
  leftOver(stop: number): number | undefined {
    if (this.#end <= stop) return undefined;
    this.fault = "A frame goes on behind the end of its pickle";
    return this.#end;
  }
}
