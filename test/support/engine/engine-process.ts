// A process for tests that serves the engine until it is killed:
// `node engine-process.ts <address of a database with engine's schema> <port>? <address of dispatch>?`. It writes one
// line, where it listens; its callers are those of `engine.ts`. Processes on the same database know each other's
// secrets, and may call external servers on this machine.
import { createDispatchClient } from '#clients/dispatch-client.ts';
import { systemClock } from '#lib/clock.ts';
import { createDatabase } from '#lib/db/pool.ts';
import { networkFetch } from '#lib/http/upstream/service-fetch.ts';
import { fixedKeys } from '#lib/secrets/key-set.ts';
import { startEngineOn } from './engine.ts';

const [url = '', port = '0', dispatchUrl] = process.argv.slice(2);
const credentials = { clientId: 'engine', clientSecret: 'a-secret-of-some-length' };
const { app, engine } = await startEngineOn({ after: () => {} }, createDatabase({ url, schema: 'engine' }), {
  clock: systemClock,
  sealingKeys: fixedKeys(Buffer.alloc(32, 7)),
  serverAccess: { allowPrivate: ['127.0.0.1'], servers: [] },
  ...(dispatchUrl === undefined
    ? {}
    : { dispatch: createDispatchClient({ fetch: networkFetch(dispatchUrl), credentials }) }),
});
await engine.start();
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: Number(port) })}\n`);
