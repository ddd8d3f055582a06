import type { ContentFacts, ResourceStore, WriteTransaction } from "../../core/ports.ts";

/** A store whose transactions add the rows of the contents that records get, as publishing content does. */
export function withContents<Store extends ResourceStore>(store: Store): Store {
  return overriding(store, {
    write: (work: (transaction: WriteTransaction) => Promise<unknown>, options = {}) =>
      store.write((transaction) => work(addingContents(transaction)), options),
  });
}

function addingContents(transaction: WriteTransaction): WriteTransaction {
  const put = async (files: readonly ContentFacts[]) => {
    const contents = new Map(
      files.filter(({ hash }) => hash.length === 32).map((file) => [file.hash, file]),
    );
    await transaction.contents.put(
      [...contents.values()].map(({ hash, size, crc32 }) => ({
        hash,
        size: Math.max(size, 0),
        crc32,
        sha256: new Uint8Array(32),
        bytes: undefined,
      })),
    );
  };
  return overriding(transaction, {
    insert: async (records: Parameters<WriteTransaction["insert"]>[0]) => {
      await put(records);
      return await transaction.insert(records);
    },
    replaceFiles: async (files: Parameters<WriteTransaction["replaceFiles"]>[0]) => {
      await put(files);
      return await transaction.replaceFiles(files);
    },
  });
}

/** The same object with other methods. */
export function overriding<T extends object>(object: T, methods: object): T {
  return new Proxy(object, {
    get(target, name) {
      if (Object.hasOwn(methods, name)) return Reflect.get(methods, name);
      const value = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
