declare global {
  /** What some browsers have (File System Access). */
  interface DataTransferItem {
    getAsFileSystemHandle?(): Promise<FileSystemHandle | null>;
  }
  interface FileSystemFileHandle {
    requestPermission(options: { readonly mode: "read" }): Promise<PermissionState>;
  }
}

/** A file with its path below the directory that it is dropped into. */
export interface ChosenFile {
  readonly path: string;
  readonly file: File;
  /** Where browsers give one: what reads the file again after the page was loaded anew. */
  readonly handle?: FileSystemFileHandle | undefined;
}

/** What a person drops or chooses. */
export interface Chosen {
  readonly files: readonly ChosenFile[];
  /** The paths of folders without anything in them. */
  readonly emptyFolders: readonly string[];
}

/** What is dropped, with all that is in directories. The items end with the event: call it at once. */
export async function dropped({ items, files }: DataTransfer): Promise<Chosen> {
  const found: Found = { files: [], emptyFolders: [] };
  const started = [...items].map((item) => ({
    entry: item.webkitGetAsEntry(),
    handle: handleOf(item),
  }));
  for (const { entry, handle } of started) {
    if (entry !== null) await collect(entry, found, await handle);
  }
  if (found.files.length > 0 || found.emptyFolders.length > 0) return found;
  // Files that a page or a program made, and not the file system, have no entries.
  return chosen(files);
}

/** The files of a field, with their paths if a folder was chosen. Browsers leave out empty folders then. */
export function chosen(files: FileList): Chosen {
  return {
    files: [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file })),
    emptyFolders: [],
  };
}

interface Found {
  readonly files: ChosenFile[];
  readonly emptyFolders: string[];
}

/** What reads a dropped file again later. Only some browsers give it, and only by https or on this host. */
async function handleOf(item: DataTransferItem): Promise<FileSystemFileHandle | undefined> {
  try {
    const handle = await item.getAsFileSystemHandle?.();
    return handle instanceof FileSystemFileHandle ? handle : undefined;
  } catch {
    // It can be uploaded, only not read again.
    return undefined;
  }
}

async function collect(
  entry: FileSystemEntry,
  found: Found,
  handle?: FileSystemFileHandle,
): Promise<void> {
  const path = entry.fullPath.replace(/^\//, "");
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject));
    found.files.push({ path, file, handle });
  }
  if (!isDirectory(entry)) return;
  const reader = entry.createReader();
  for (let isEmpty = true;; isEmpty = false) {
    // Browsers give a directory in pieces, the last of which is empty.
    const children = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject)
    );
    if (children.length === 0) {
      if (isEmpty) found.emptyFolders.push(path);
      return;
    }
    for (const child of children) await collect(child, found);
  }
}

/** Browsers disagree about the names of the classes of entries. */
function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile;
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory;
}
