// The role that the services use, and its databases: made when missing, at every start.
import pg from 'pg';
import { OWNER_ROLE, type Secrets } from './secrets.ts';

/** Makes the role `kedja` (no superuser) and each database, owned by it. */
export async function prepareDatabases(
  adminUrl: string,
  secrets: Secrets,
  databases: readonly string[],
): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on('error', () => {});
  await client.connect();
  try {
    const role = client.escapeIdentifier(OWNER_ROLE);
    const roles = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [OWNER_ROLE]);
    if (roles.rowCount === 0)
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(secrets.owner)}`);
    const present = await client.query<{ name: string }>('SELECT datname AS name FROM pg_database');
    const missing = databases.filter((name) => !present.rows.some((row) => row.name === name));
    for (const name of missing) {
      const database = client.escapeIdentifier(name);
      await client.query(`CREATE DATABASE ${database} OWNER ${role}`);
      await client.query(`REVOKE ALL ON DATABASE ${database} FROM PUBLIC`);
    }
  } finally {
    await client.end();
  }
}
