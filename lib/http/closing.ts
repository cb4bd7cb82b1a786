// An orderly end of an application (SIGTERM): running requests are served, their connections end with them, and connections that
// lie idle do not hold the process up until their keep-alive time has passed (RFC 9110 §7.6.1, RFC 9112 §9.6).
import type { HttpApp } from './http-app.ts';

const SWEEP_MS = 100;

export function closeConnectionsWithApp(app: HttpApp): void {
  let isClosing = false;
  let sweep: NodeJS.Timeout | undefined;
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isClosing) reply.header('connection', 'close');
    done();
  });
  app.addHook('preClose', async () => {
    isClosing = true;
    sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  });
  app.addHook('onClose', async () => clearInterval(sweep));
}
