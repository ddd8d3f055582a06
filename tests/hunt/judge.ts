import { limitsFor, SCAN_MAXIMA } from "../../core/scanner/contract/limits.ts";
import { memorySource } from "../../core/scanner/contract/source.ts";
import { PickleFile } from "../../core/scanner/formats/pickle/pickle_file.ts";
import { assemble, type Program } from "./programs.ts";

/** Whether the scanner finds nothing in a program, so that the command line would end with 0. */
export function isClean(program: Program): boolean {
  const pickle = assemble(program, false);
  const file = new PickleFile(memorySource(pickle), limitsFor(pickle.length, SCAN_MAXIMA));
  file.walk();
  return file.findings.worst() === undefined;
}

/**
 * Notes of what is only looked at, and events of libraries that do no harm without a text of the file. A
 * process that waits has been forked from one with threads.
 */
const LOOKS = /^(?:reads|sets|item|setitem|iterates|len|int|float|text|bytes|contains|hash|key)$/;
const ORDINARY = /^(?:ctypes|gc|sys)\.|^waits$/;

/** What a program did that no pickle should do, of the notes of the fence. */
export function harmsOf(notes: readonly string[]): string[] {
  return notes.slice(0, -1).filter((note) => {
    const [verb = "", ...rest] = note.split(" ");
    return !LOOKS.test(verb) && (!ORDINARY.test(verb) || /^\d$/.test(rest.join(" ")));
  });
}
