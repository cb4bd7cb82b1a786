// Loaded into a process under test by `node --import`: measures the longest turn of its event loop, in processor time
// of the main thread. A turn delays every other request. Wall time would also count the time in which the machine ran
// something else.
import { createServer } from 'node:net';
import { isMainThread } from 'node:worker_threads';
import { processorMs } from '#test/support/processor-time.ts';

/**
 * The path of the meter's socket, for `node:net`. Each connection gets the longest turn since the one before, and
 * resets the meter.
 */
export const METER_VARIABLE = 'LOOP_METER_SOCKET';

const TICK_MS = 5;

/**
 * Processor time between two ticks is one turn and less than a tick: a timer that is due runs when the turn has ended.
 */
function startMeter(path: string): void {
  let longest = 0;
  let before = processorMs();
  const tick = () => {
    const now = processorMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  setInterval(tick, TICK_MS).unref();
  const server = createServer((socket) => {
    // What the turn has used until now counts too.
    tick();
    socket.on('error', () => undefined);
    socket.end(String(longest));
    longest = 0;
  });
  server.listen(path).unref();
}

const path = process.env[METER_VARIABLE];
if (isMainThread && path !== undefined) startMeter(path);
