/** The path of the API below the origin of a server (C 1). Clients append it to the URL that they are given. */
export const BASE_PATH = "/api/v1";
