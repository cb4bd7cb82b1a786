// A background loop that notifications of a database wake, so that work is begun as soon as it is committed. What is
// notified while nobody listens, the loop's poll finds.
import type { Database } from '../db/database.ts';
import type { WorkerLoop } from './worker-loop.ts';

export interface WokenLoop extends Pick<WorkerLoop, 'stop'> {
  /** Listens, and then starts the loop: nothing that is notified afterwards waits for the poll. */
  start(): Promise<void>;
}

export function wokenBy(
  { database, channel }: { readonly database: Pick<Database, 'listen'>; readonly channel: string },
  loop: WorkerLoop,
): WokenLoop {
  let stopListening: (() => Promise<void>) | undefined;
  return {
    async start() {
      stopListening = await database.listen(channel, loop.wake);
      loop.start();
    },
    async stop() {
      await stopListening?.();
      stopListening = undefined;
      await loop.stop();
    },
  };
}
