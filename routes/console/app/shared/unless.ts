import { ApiError } from "./api.ts";

/** What is replied, or undefined if it is an error with a code. */
export async function unless<T>(code: string, reply: Promise<T>): Promise<T | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof ApiError && error.code === code) return undefined;
    throw error;
  }
}
