/** Numbers of fields in the tables of Arrow's schema that are read. */
export const Message = { headerType: 1, header: 2 } as const;

export const Footer = { schema: 1 } as const;

export const Schema = { fields: 1, metadata: 2 } as const;

export const Field = { children: 5, metadata: 6 } as const;

export const KeyValue = { key: 0, value: 1 } as const;

/** The type of a message whose header is a schema. */
export const SCHEMA_MESSAGE = 1;
