// Ports given as 0: a free one is chosen before anything starts, since the services name each other's addresses.
import { type AddressInfo, createServer } from 'node:net';
import type { ServiceName } from '#lib/config/shared.ts';
import type { Config } from '../config.ts';

export type Ports = Readonly<Record<ServiceName, number>>;

/** Every service's port; where the configuration says 0 and the service runs here, one that is free now. */
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
