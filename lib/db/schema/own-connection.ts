// A connection of its own, beside the pool and past a pooler, for long work on a schema: migrations and the order of
// names.
import pg from 'pg';
import { type DatabaseAddress, directConfig } from '../connection.ts';
import { unavailable } from '../failure.ts';

/**
 * Connects without time limits for statements. The caller ends the connection. `name` is in `pg_stat_activity`, before
 * the name of the schema.
 * @throws ServiceError `unavailable`
 */
export async function connectAlone(
  address: DatabaseAddress & { readonly schema: string },
  name: string,
): Promise<pg.Client> {
  const client = new pg.Client({
    ...directConfig({ ...address, applicationName: `${name}-${address.schema}`, statementTimeoutMs: 0 }),
    pipeline: false,
    idle_in_transaction_session_timeout: 0,
  });
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    throw unavailable(error);
  }
  return client;
}
