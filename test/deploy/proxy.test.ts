// The example for Caddy before an upstream that sends events one by one: each is passed on before the next is made, and
// the stream ends at the upstream when its reader goes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { type Hooks, lastFirst } from '#test/support/hooks.ts';
import { eventually } from '#test/support/http.ts';
import { freePorts } from '#test/support/system/free-ports.ts';

const CADDYFILE = path.join(import.meta.dirname, '../../deploy/proxy/Caddyfile');
const skip = spawnSync('caddy', ['version']).error !== undefined && 'caddy is not installed';
const RETRY = 'retry: 3000\n\n';
const EVENTS = [': \n\n', 'event: notification\ndata: 1\n\n', ': \n\n', 'event: notification\ndata: 2\n\n'];

test('Caddy names the client, passes on each event as it comes, and ends a stream with its reader', {
  skip,
}, async (t) => {
  const hooks = lastFirst(t);
  const upstream = await startUpstream(hooks);
  const address = await startCaddy(hooks, upstream.port);
  const asked = fetch(`${address}/notifications/stream`, { headers: { 'x-forwarded-for': '192.0.2.7' } });
  const { 'x-forwarded-for': client, 'x-forwarded-proto': scheme, 'x-forwarded-host': host } = await upstream.asked;
  assert.deepEqual([client, scheme, `http://${host}`], ['127.0.0.1', 'http', address]);
  // Caddy holds the head back until there is a body, which dispatch begins at once.
  upstream.send(RETRY);
  const reader = (await asked).body?.getReader();
  assert.ok(reader);
  const decoder = new TextDecoder();
  for (const event of [RETRY, ...EVENTS]) {
    if (event !== RETRY) upstream.send(event);
    let text = '';
    while (text.length < event.length) text += decoder.decode((await reader.read()).value, { stream: true });
    assert.equal(text, event);
  }
  // A reader has five streams at most: one whose reader has gone must not go on until the next event.
  await reader.cancel();
  await upstream.ended;
});

async function startUpstream(hooks: Hooks) {
  const { promise: asked, resolve: receive } = Promise.withResolvers<IncomingHttpHeaders>();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let write: (text: string) => void = () => assert.fail('nobody listens');
  const server = createServer((request, response) => {
    if (request.url !== '/notifications/stream') return void response.end();
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    write = (text) => void response.write(text);
    response.once('close', end);
    receive(request.headers);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  hooks.after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port: (server.address() as AddressInfo).port,
    send: (text: string) => write(text),
    asked,
    ended,
  };
}

/** The example as it is, without TLS, which the scheme of its address turns off. */
async function startCaddy(hooks: Hooks, upstream: number): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'kedja-caddy-'));
  hooks.after(() => rm(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'Caddyfile');
  await writeFile(file, `{\n\tadmin off\n}\n${await readFile(CADDYFILE, 'utf8')}`);
  const [port = 0] = await freePorts(1);
  const address = `http://127.0.0.1:${port}`;
  const child = spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], {
    env: {
      PATH: process.env['PATH'],
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      KEDJA_DOMAIN: address,
      KEDJA_GATEWAY: `127.0.0.1:${upstream}`,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.on('data', (text: Buffer) => {
    log += text.toString();
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  hooks.after(async () => {
    child.kill('SIGTERM');
    await ended;
  });
  const answers = () =>
    fetch(`${address}/livez`).then(
      ({ ok }) => ok || undefined,
      () => undefined,
    );
  await eventually(() => `Caddy answers:\n${log}`, answers);
  return address;
}
