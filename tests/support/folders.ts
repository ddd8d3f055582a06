/** Folders on this machine, for transfers. */

/** Content by path. A path that ends with a slash is a directory without content. */
export type Folder = Readonly<Record<string, string>>;

/** Writes files and directories below a directory. */
export async function writeFolder(directory: string, folder: Folder): Promise<void> {
  await Deno.mkdir(directory, { recursive: true });
  for (const [path, content] of Object.entries(folder)) {
    const parent = path.slice(0, path.lastIndexOf("/") + 1);
    await Deno.mkdir(`${directory}/${parent}`, { recursive: true });
    if (parent !== path) await Deno.writeTextFile(`${directory}/${path}`, content);
  }
}

/** All files, and the directories that are empty, below a directory, ordered by path. */
export async function readFolder(directory: string): Promise<Folder> {
  const found: [string, string][] = [];
  const visit = async (prefix: string) => {
    let isEmpty = true;
    for await (const { name, isDirectory } of Deno.readDir(`${directory}/${prefix}`)) {
      isEmpty = false;
      if (isDirectory) await visit(`${prefix}${name}/`);
      else found.push([prefix + name, await Deno.readTextFile(`${directory}/${prefix}${name}`)]);
    }
    if (isEmpty && prefix !== "") found.push([prefix, ""]);
  };
  await visit("");
  return Object.fromEntries(found.sort(([a], [b]) => a < b ? -1 : 1));
}
