/**
 * What a command may use:
 * - `all`: what this process may. `serve` and `scan` start processes with less, and the others read nothing.
 * - `data`: the data directory, and what its settings name.
 * - `login`: the file of logins, and for `login` the server to log in to.
 * - `server`: the server that it acts on.
 * - `transfer`: that server, and files of this machine.
 */
export type Access = "all" | "data" | "login" | "server" | "transfer";

/**
 * Every command, with what it may use. `main.ts` loads them and `usage.ts` explains them; both fail to
 * compile if one is missing there.
 */
export const COMMANDS = {
  serve: "all",
  token: "data",
  user: "data",
  team: "data",
  invite: "data",
  scan: "all",
  rules: "all",
  scanners: "all",
  scanner: "all",
  capacity: "data",
  check: "data",
  backup: "data",
  restore: "data",
  migrate: "data",
  adopt: "data",
  login: "login",
  logout: "login",
  put: "transfer",
  get: "transfer",
  sync: "transfer",
  cat: "server",
  ls: "server",
  tree: "server",
  find: "server",
  stat: "server",
  usage: "server",
  mkdir: "server",
  mv: "server",
  cp: "server",
  rm: "server",
  events: "server",
  link: "server",
  config: "data",
  permissions: "data",
  completion: "all",
  help: "all",
  version: "all",
} as const satisfies Readonly<Record<string, Access>>;

/** The name of a command. */
export type CommandName = keyof typeof COMMANDS;

/** The names of the commands that may use this. */
export type CommandWith<Kind extends Access> = {
  [Name in CommandName]: typeof COMMANDS[Name] extends Kind ? Name : never;
}[CommandName];

/** Whether a word is the name of a command. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
