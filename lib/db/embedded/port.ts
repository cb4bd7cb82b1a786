// A free port on the loopback address, and another one when somebody takes it before PostgreSQL does.
import { createServer } from 'node:net';
import { PortTaken, type Server } from './server.ts';

const ATTEMPTS = 10;

/** Starts a server on `preferred`, when that is free, or on one that the system gives. @throws Error when ten ports in turn were lost. */
export async function startOnFreePort(
  launch: (port: number) => Promise<Server>,
  preferred?: number,
): Promise<{ server: Server; port: number }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = attempt === 0 && preferred !== undefined ? preferred : await freePort();
    try {
      return { server: await launch(port), port };
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
    }
  }
  throw new Error(`PostgreSQL found no free port in ${ATTEMPTS} attempts`);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = probe.address();
      probe.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new Error('The system gave no port'));
      });
    });
  });
}
