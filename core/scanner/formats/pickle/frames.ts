import type { Instruction } from "./parser.ts";

/**
 * Watches the frames of protocol 4. To the C unpickler a frame is what it reads at once, to the Python
 * one a border; a stream on which they differ was made to be read in two ways.
 */
export class Frames {
  /** Where the frame that is open ends, or -1 where none is. */
  #end = -1;
  /** What is wrong with them, in words. */
  fault: string | undefined;

  /**
   * Takes an instruction into account, before the next one.
   *
   * @returns whether it lies across the end of a frame. The C unpickler, when it reads from a file,
   * drops what it has of an argument there and takes it from behind the frame instead.
   */
  pass({ opcode, at, end, number }: Instruction): boolean {
    if (this.#end >= 0 && at >= this.#end) this.#end = -1;
    const torn = this.#end >= 0 && end > this.#end;
    return opcode.name === "FRAME" ? this.#open(end, end + Number(number)) || torn : torn;
  }

  #open(from: number, end: number): boolean {
    const within = this.#end > from;
    if (within) this.fault = "A frame begins within another";
    const torn = within && end > this.#end;
    this.#end = end;
    return torn;
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
