/** The path of the API below the origin of a server (C 1). Clients append it to the URL that they are given. */
export const BASE_PATH = "/api/v1";

/** Where the session, the files and the API of the console are (C 24). */
export const CONSOLE_PATH = "/console";

/** The API for the console, with its credential from a cookie (C 24). */
export const CONSOLE_API_PATH = `${CONSOLE_PATH}/api`;
