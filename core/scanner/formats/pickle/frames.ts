import type { Instruction } from "./parser.ts";

/**
 * Follows the frames of protocol 4. The C unpickler reads a frame at once and ignores its end; the
 * Python unpickler does not read across it. A stream on which they differ is made to be read in two
 * ways.
 */
export class Frames {
  /** End of the open frame, or -1 if none is open. */
  #end = -1;
  fault: string | undefined;

  /**
   * Advances past an instruction.
   *
   * @returns whether the instruction crosses the end of a frame. The C unpickler, when it reads from a
   * file, then drops the bytes of the argument within the frame and takes others from after it.
   */
  advance({ opcode, at, end, number }: Instruction): boolean {
    if (this.#end >= 0 && at >= this.#end) this.#end = -1;
    const split = this.#end >= 0 && end > this.#end;
    return opcode.name === "FRAME" ? this.#open(end, end + Number(number)) || split : split;
  }

  #open(from: number, end: number): boolean {
    const within = this.#end > from;
    if (within) this.fault = "A frame begins inside another frame";
    const split = within && end > this.#end;
    this.#end = end;
    return split;
  }

  /**
   * Returns the end of the frame that was open at STOP if it extends past it: there some loaders
   * continue with the next pickle.
   */
  endPast(stop: number): number | undefined {
    if (this.#end <= stop) return undefined;
    this.fault = "A frame extends past the end of its pickle";
    return this.#end;
  }
}
