/** Where the modules of this program are: those of a checkout, or those of the package, which are compiled. */

/** Whether this is the package. */
export const IS_PACKAGED = import.meta.url.endsWith(".js");
/** The package has this module, merged with others, in the directory that its modules count from. */
const ROOT = new URL(IS_PACKAGED ? "./" : "../../", import.meta.url);

/** The directory that the modules count from. */
export const PROGRAM_ROOT = decodeURIComponent(ROOT.pathname);

/** The address of a module such as `cli/scanner`. */
export function programModule(name: string): URL {
  return new URL(`${name}.${IS_PACKAGED ? "js" : "ts"}`, ROOT);
}

/** Where the scanner for browsers is: in a checkout, once it was built. */
export const BROWSER_SCANNER = PROGRAM_ROOT + (IS_PACKAGED ? "scanner" : "dist/scanner");

/** Where the files of the console are: in a checkout, once its start has made them. */
export const CONSOLE_FILES = `${PROGRAM_ROOT}${IS_PACKAGED ? "" : "dist/"}console.json`;

/** Where modules are that are read as files: those that run as workers, and those for browsers. */
export const MODULE_DIRECTORIES: readonly string[] = IS_PACKAGED
  ? [PROGRAM_ROOT]
  : ["core", "schemas", "storage"].map((name) => PROGRAM_ROOT + name).concat(
    BROWSER_SCANNER,
    CONSOLE_FILES,
  );
