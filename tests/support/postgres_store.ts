import { databaseAddress } from "../../schemas/database_url.ts";
import { PostgresResourceStore } from "../../storage/postgres/postgres_resource_store.ts";
import type { PostgresStoreOptions } from "../../storage/postgres/store_options.ts";

/** Opens a store over the database of a URL. */
export function openPostgresStore(
  url: string,
  options: Partial<PostgresStoreOptions> = {},
): Promise<PostgresResourceStore> {
  return PostgresResourceStore.open(databaseAddress(url), {
    temporaryDirectory: "/tmp",
    ...options,
  });
}
