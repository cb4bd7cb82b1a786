// Cancels database work when its request ends (docs/adr/0058), because the client has disconnected or the time limit
// has passed.
import type { PoolClient } from 'pg';
import { requestTime } from '../jobs/request-time.ts';

/**
 * Closes the connection when the running request is aborted. The driver cannot take back a statement that it has sent.
 * The server notices the closed connection (./connection.ts), rolls back and releases the locks. Call the returned
 * function before the connection goes back to the pool.
 * @throws ServiceError when it is over already
 */
export function endWithRequest(client: PoolClient): () => void {
  const time = requestTime();
  if (time === undefined) return NOTHING;
  if (time.over !== undefined) {
    client.release();
    throw time.over;
  }
  return time.onOver(() => client.connection.stream.destroy());
}

const NOTHING = (): void => {};
