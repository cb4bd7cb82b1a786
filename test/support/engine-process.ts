// A process for tests that serves the engine until it is killed: `node engine-process.ts <address of a database with engine's schema> <port>?`.
// It writes one line, where it listens; its callers are those of `engine.ts`. Processes on the same database know each other's secrets, and
// may call external servers on this machine.
import { systemClock } from '#lib/clock.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { startEngineOn } from './engine.ts';

const [url = '', port = '0'] = process.argv.slice(2);
const { app, engine } = await startEngineOn({ after: () => {} }, createDatabase({ url, schema: 'engine' }), {
  clock: systemClock,
  sealingKeys: [Buffer.alloc(32, 7)],
  serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] },
});
await engine.start();
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: Number(port) })}\n`);
