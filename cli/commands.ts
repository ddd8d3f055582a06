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
  policy: "data",
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
  facts: "server",
  compare: "server",
  verify: "server",
  usage: "server",
  mkdir: "server",
  mv: "server",
  cp: "server",
  rm: "server",
  events: "server",
  link: "server",
  log: "server",
  diff: "server",
  tag: "server",
  trash: "server",
  purge: "server",
  mirror: "server",
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

/** A command that loads nothing of the server, its storage and its scanners. */
export type LightCommand =
  | CommandWith<"login" | "server" | "transfer">
  | "config"
  | "permissions"
  | "completion"
  | "help"
  | "version";

/** Whether `cli/light/main.ts` has a command. */
export function isLight(name: CommandName): name is LightCommand {
  return ["login", "server", "transfer"].includes(COMMANDS[name]) ||
    ["config", "permissions", "completion", "help", "version"].includes(name);
}

/** Whether a command sends requests to a server. */
export function usesServer(name: CommandName, args: readonly string[]): boolean {
  return ["login", "server", "transfer"].includes(COMMANDS[name]) ||
    name === "scan" && args.includes("--remote") || name === "restore" && restoresPast(args) ||
    name === "policy" && judgesFiles(args);
}

/** Whether the arguments of `policy` name something of a server, and not only the file of rules. */
export function judgesFiles(args: readonly string[]): boolean {
  const rest = args.slice(1);
  return rest.some((it, index) =>
    !it.startsWith("-") && !["--server", "--tree"].includes(rest[index - 1] ?? "")
  );
}

/** Whether the arguments of `restore` name something of a server as it was, and not a backup. */
export function restoresPast(args: readonly string[]): boolean {
  return args.some((it) => it === "--at" || it.startsWith("--at="));
}

/** Whether a word is the name of a command. */
export function isCommand(name: string): name is CommandName {
  return Object.hasOwn(COMMANDS, name);
}
