// The proxy that an operator has in front of Kedja: it ends TLS for all host names at one port, and says by the
// forwarding headers who asked, and for which host.
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import type { Hooks } from '../hooks.ts';
import { makeCertificate } from './certificate.ts';

export interface HttpsProxy {
  readonly port: number;
  /** From now on it passes requests to this port of the machine. */
  leadTo(port: number): void;
}

export async function startHttpsProxy(hooks: Hooks, hosts: readonly string[]): Promise<HttpsProxy> {
  let target = 0;
  const server = createServer(makeCertificate(hosts), (request, response) => {
    const { method, url: path, headers } = request;
    const forwarded = {
      ...headers,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': headers.host ?? '',
    };
    const sent = httpRequest({ host: '127.0.0.1', port: target, method, path, headers: forwarded, agent: false });
    sent.once('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      pipeline(answer, response, () => undefined);
    });
    sent.once('error', () => response.destroy());
    pipeline(request, sent, () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hooks.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    leadTo(given) {
      target = given;
    },
  };
}
