// Cancels database work when its request ends (docs/adr/0058), because the client has disconnected or the time limit
// has passed.
import type { PoolClient } from 'pg';
import { requestTime } from '../jobs/request-time.ts';

/**
 * Closes the connection when the request that is worked on is over: what the driver has sent cannot be taken back, and
 * the server looks whether the connection is still there (./connection.ts), rolls back, and lets locks go. The answer
 * ends that, before the connection goes back to the pool.
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
