// Chooses a free port for each port configured as 0, before anything starts, as the services need each other's
// addresses.
import { type AddressInfo, createServer } from 'node:net';
import type { ServiceName } from '#lib/config/shared.ts';
import type { Config } from '../config.ts';

export type Ports = Readonly<Record<ServiceName, number>>;

/** Every service's port; a port of 0 is replaced by a free one if the service runs here. */
export async function choosePorts(config: Config): Promise<Ports> {
  const { services, host } = config.shared;
  const choose = async (service: ServiceName): Promise<number> => {
    const { port } = config[service];
    return port === 0 && services.includes(service) ? freePort(host) : port;
  };
  const [identity, dispatch, engine, console] = await Promise.all([
    choose('identity'),
    choose('dispatch'),
    choose('engine'),
    choose('console'),
  ]);
  return { identity, dispatch, engine, console };
}

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
