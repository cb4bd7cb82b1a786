// A port for the server on the loopback address: PostgreSQL itself finds out whether it is free, so there is no
// race.
import { randomInt } from 'node:crypto';
import { PortTaken, type Server } from './server.ts';

/**
 * Below the range from which systems take the ports of outgoing connections: nobody sits on ours while the server
 * restarts.
 */
const FIRST_PORT = 20_000;
const END_PORT = 30_000;
const ATTEMPTS = 20;

/**
 * Starts a server on `preferred`, when that is free, else on a random port.
 * @throws Error when twenty ports in turn were taken.
 */
export async function startOnFreePort(
  launch: (port: number) => Promise<Server>,
  preferred?: number,
): Promise<{ server: Server; port: number }> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = attempt === 0 && preferred !== undefined ? preferred : randomInt(FIRST_PORT, END_PORT);
    try {
      return { server: await launch(port), port };
    } catch (error) {
      if (!(error instanceof PortTaken)) throw error;
    }
  }
  throw new Error(`PostgreSQL found no free port in ${ATTEMPTS} attempts`);
}
