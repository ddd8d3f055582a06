import { PagedSource } from "../../../core/scanner/scan.ts";

/** Reads an open file. If the file is truncated meanwhile, it appears to end there. */
export class FileSource extends PagedSource {
  constructor(file: Deno.FsFile) {
    // fstat needs permission for the target of a link, seeking only for the name that was opened.
    super(file.seekSync(0, Deno.SeekMode.End), (offset, target) => {
      file.seekSync(offset, Deno.SeekMode.Start);
      let filled = 0;
      while (filled < target.length) {
        const read = file.readSync(target.subarray(filled));
        if (read === null) break;
        filled += read;
      }
      return filled;
    });
  }
}
