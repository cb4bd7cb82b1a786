// `kedja doctor` on the public address: a certificate that is not trusted, a proxy that hides who asks, a sound one.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, test } from 'node:test';
import { temporaryDataDir } from '#test/support/database/server.ts';
import { lastFirst } from '#test/support/hooks.ts';
import { startCommand } from '#test/support/system/processes.ts';
import { checkPublicAddress } from './outside.ts';

const hooks = lastFirst({ after });

test('the certificate and the proxy of the public address', {
  skip: spawnSync('openssl', ['version']).error !== undefined && 'openssl is not installed',
}, async () => {
  const folder = await temporaryDataDir();
  hooks.after(() => rm(folder, { recursive: true, force: true }));
  const [key, certificate] = ['key.pem', 'certificate.pem'].map((name) => path.join(folder, name)) as [string, string];
  // An address that is no loopback address by its name, and leads here.
  const subject = ['-subj', '/CN=kedja', '-addext', 'subjectAltName=IP:0.0.0.0', '-days', '10'];
  spawnSync('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    key,
    '-out',
    certificate,
    ...subject,
  ]);
  let metrics = 404;
  const proxy = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (request, response) => {
    response.setHeader('x-request-id', String(request.headers['x-request-id']));
    response.writeHead(request.url === '/metrics' ? metrics : 200).end('{}');
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, '0.0.0.0', resolve);
  });
  hooks.after(() => new Promise<void>((resolve) => proxy.close(() => resolve())));
  const url = `https://0.0.0.0:${(proxy.address() as AddressInfo).port}`;
  const [untrusted] = await checkPublicAddress(url, true);
  assert.deepEqual([untrusted?.level, untrusted?.code], ['error', 'address.certificate']);
  assert.match(untrusted?.message ?? '', /SELF_SIGNED/);
  const site = { KEDJA_PUBLIC_URL: url, NODE_EXTRA_CA_CERTS: certificate, KEDJA_DATA_DIR: folder };
  const address = async () => {
    const { stdout } = await startCommand(['doctor'], site, folder).ended;
    return stdout.split('\n').filter((line) => line.slice(8).startsWith('address'));
  };
  const sound = await address();
  assert.match(sound.join('\n'), /^warning .* valid for 9 more days\..*\nok .* reaches Kedja$/);
  metrics = 200;
  assert.match((await address()).join('\n'), /^error .*\/metrics is open to everybody/m);
});
