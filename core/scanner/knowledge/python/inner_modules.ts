/**
 * Modules that are as dangerous when another module has them as an attribute: `random._os` is `os`.
 * Words that are ordinary names of classes or functions are left out; in the middle of a dotted name
 * every denied module counts.
 */
export const INNER_MODULES = `
  os posix nt sys subprocess posixsubprocess builtins importlib ctypes pty shutil runpy marshal
  pickle cPickle socket imp commands xxsubinterpreters interpreters
`;
