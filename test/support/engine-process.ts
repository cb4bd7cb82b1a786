// A process for tests that serves the engine until it is killed: `node engine-process.ts <address of a database with engine's schema>`. It
// writes one line, where it listens; its callers are those of `engine.ts`.
import { createDatabase } from '#lib/db/pool.ts';
import { startEngineOn } from './engine.ts';

const [url = ''] = process.argv.slice(2);
const { app, engine } = await startEngineOn({ after: () => {} }, createDatabase({ url, schema: 'engine' }));
await engine.start();
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
