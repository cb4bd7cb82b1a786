// Server-sent events through the gateway: they pass unchanged and at once. They end when the gateway stops, as they
// would otherwise keep it open until their clients leave.
import type { ServerResponse } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import type { HttpApp } from '#lib/http/http-app.ts';
import { Slots } from '#lib/slots.ts';

const CHECK_MS = 500;

export interface EventStreams {
  /** The body to send in the place of this one. */
  pass(body: Readable): Readable;
  /** Ends the response, which a service of this process sends itself, when the gateway stops. */
  endWithGateway(response: ServerResponse): void;
}

export function createEventStreams(app: HttpApp): EventStreams {
  const open = new Slots<() => void>();
  const endAll = () => {
    for (const [, end] of open.entries()) end();
  };
  // While the gateway drains it listens no more, and waits for the connections of the streams.
  let hasListened = false;
  const check = setInterval(() => {
    if (app.server.listening) hasListened = true;
    else if (hasListened) endAll();
  }, CHECK_MS).unref();
  app.addHook('preClose', async () => endAll());
  app.addHook('onClose', async () => clearInterval(check));
  return {
    pass(body) {
      const copy = new PassThrough();
      const slot = open.add(() => {
        body.unpipe(copy).destroy();
        copy.end();
      });
      body.once('error', () => copy.end());
      copy.once('close', () => {
        open.remove(slot);
        body.destroy();
      });
      return body.pipe(copy);
    },
    endWithGateway(response) {
      const slot = open.add(() => response.end());
      response.once('close', () => open.remove(slot));
    },
  };
}

export function isEventStream(contentType: unknown): boolean {
  return typeof contentType === 'string' && contentType.startsWith('text/event-stream');
}
