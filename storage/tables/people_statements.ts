import type { Dialect } from "./dialect.ts";
import { credentialStatements } from "./credential_statements.ts";

const COLUMNS = "number, kind, name, email, groups, issuer, subject, created_at, disabled_at";

/** All statements about people and teams, by name. */
export const peopleStatements = (dialect: Dialect) => {
  const { addUserRevocation, revokeOfUser } = credentialStatements(dialect);
  return {
    addUserRevocation,
    revokeOfUser,
    findByNumber: `SELECT ${COLUMNS} FROM people WHERE number = :number`,
    findByName: `SELECT ${COLUMNS} FROM people
      WHERE number = (SELECT number FROM people_names WHERE name = :name)`,
    findByIdentity: `SELECT ${COLUMNS} FROM people WHERE issuer = :issuer AND subject = :subject`,
    list: `SELECT ${COLUMNS} FROM people WHERE kind = :kind AND name > :after
      ORDER BY name LIMIT :limit`,
    /** The number of who has a name, or had it. */
    ownerOfName: "SELECT number FROM people_names WHERE name = :name",
    nextNumber: "UPDATE storage_state SET last_number = last_number + 1 RETURNING last_number",
    /** Whether something is known of a user with a number: it is not one for somebody new. */
    isKnown: `SELECT 1 AS known
      WHERE EXISTS (SELECT 1 FROM people WHERE number = :number)
        OR EXISTS (SELECT 1 FROM records WHERE user_id = :number)
        OR EXISTS (SELECT 1 FROM user_revocations WHERE user_id = :number)
        OR EXISTS (SELECT 1 FROM credentials WHERE user_id = :number OR trees LIKE :tree)`,
    addName:
      "INSERT INTO people_names (name, number) VALUES (:name, :number) ON CONFLICT DO NOTHING",
    add: `INSERT INTO people (${COLUMNS})
      VALUES (:number, :kind, :name, :email, :groups, :issuer, :subject, :created, NULL)
      RETURNING ${COLUMNS}`,
    change: `UPDATE people SET name = :name, email = :email, groups = :groups, issuer = :issuer,
        subject = :subject, disabled_at = :disabled
      WHERE number = :number RETURNING ${COLUMNS}`,
  } as const;
};

export type PeopleStatement = keyof ReturnType<typeof peopleStatements>;
