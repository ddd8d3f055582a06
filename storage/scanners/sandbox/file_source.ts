import { PagedSource } from "../../../core/scanner/scan.ts";

/** A file that still comes in. */
export interface ArrivingFile {
  /** How many bytes it has in the end. */
  readonly size: number;
  /** Blocks the thread for a moment. Throws when nobody waits for the file any more. */
  readonly pause: () => void;
}

/**
 * Reads an open file. If the file is truncated meanwhile, it appears to end there; one that still comes in is
 * waited for.
 */
export class FileSource extends PagedSource {
  constructor(file: Deno.FsFile, arriving?: ArrivingFile) {
    // fstat needs permission for the target of a link, seeking only for the name that was opened.
    super(arriving?.size ?? file.seekSync(0, Deno.SeekMode.End), (offset, target) => {
      file.seekSync(offset, Deno.SeekMode.Start);
      let filled = 0;
      while (filled < target.length) {
        const read = file.readSync(target.subarray(filled));
        if (read !== null) filled += read;
        else if (arriving === undefined) break;
        else arriving.pause();
      }
      return filled;
    });
  }
}
