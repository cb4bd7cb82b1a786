import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { request } from 'undici';
import { AddressRefused, createAddressGuard, type Resolver } from './address-guard.ts';
import { createGuardedAgent } from './guarded-agent.ts';

const resolverTo =
  (...addresses: string[]): Resolver =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const REFUSED = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '100.100.100.200',
  '127.0.0.1',
  '127.9.9.9',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.192',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::]',
  '[::1]',
  '[::127.0.0.1]',
  '[::a00:1]',
  '[100:0:0:1::1]',
  '[4000::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:93.184.216.34]',
  '[64:ff9b::a00:1]',
  '[2002:a00:1::1]',
  '[fc00::1]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[ff02::1]',
];

test('addresses that are not public are refused, however they are written', async () => {
  const guard = createAddressGuard({ allow: false });
  for (const host of [...REFUSED, '2130706433', '0x7f.1', '0177.0.0.1', '127.1']) {
    await assert.rejects(guard.checkUrl(`http://${host}/hook`), AddressRefused, host);
  }
});

test('public addresses pass, and names are checked by the addresses that they resolve to', async () => {
  const publicly = createAddressGuard({ allow: false, resolve: resolverTo('93.184.216.34', '2606:2800:220::1') });
  await publicly.checkUrl('https://hooks.example.org/in');
  await publicly.checkUrl('https://[2606:2800:220::1]/in');
  await assert.rejects(publicly.checkUrl('http://hooks.example.org/in'), /must be https/);
  const mixed = createAddressGuard({ allow: false, resolve: resolverTo('93.184.216.34', '10.0.0.1') });
  await assert.rejects(mixed.checkUrl('https://hooks.example.org/in'), AddressRefused);
  const unknown = createAddressGuard({ allow: false, resolve: () => Promise.reject(new Error('ENOTFOUND')) });
  await assert.rejects(unknown.checkUrl('https://nowhere.example.org/'), /cannot be resolved/);
});

test('other schemes and user info are refused even when every address is open', async () => {
  const guard = createAddressGuard({ allow: true });
  for (const url of [
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'http://user:pw@127.0.0.1/',
    'no url',
    'http://127.0.0.1:0/',
    'http://127.0.0.1/a\u0000',
    'http:\\\\127.0.0.1/',
    'https://@127.0.0.1/',
    'https:@127.0.0.1/',
    'https://:@127.0.0.1/',
    'https://127.0.0.1/in#part',
    'https://127.0.0.1/in#',
  ]) {
    await assert.rejects(guard.checkUrl(url), AddressRefused, url);
  }
});

test('an @ after the host is no user name', async () => {
  const guard = createAddressGuard({ allow: true });
  for (const path of ['/in/@provider', '/in?for=a@b', '/@']) await guard.checkUrl(`https://127.0.0.1${path}`);
});

test('true opens private and loopback addresses, and none of a metadata service', async () => {
  const guard = createAddressGuard({ allow: true });
  for (const host of [
    '127.0.0.1',
    '10.1.2.3',
    '192.168.1.1',
    '100.64.0.1',
    '[::1]',
    '[fd12::5]',
    '[::ffff:10.0.0.1]',
  ]) {
    await guard.checkUrl(`http://${host}/`);
  }
  const metadata = [
    '169.254.169.254',
    '2852039166',
    '168.63.129.16',
    '100.100.100.200',
    '[fd00:ec2::254]',
    '[fe80::1]',
  ];
  const none = [
    '[::ffff:169.254.169.254]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:a9fe:a9fe::1]',
    '0.0.0.0',
    '[::]',
    '224.0.0.1',
    '[ff02::1]',
    '255.255.255.255',
  ];
  for (const host of [...metadata, ...none]) {
    await assert.rejects(guard.checkUrl(`http://${host}/`), AddressRefused, host);
  }
  const named = createAddressGuard({ allow: ['169.254.0.0/16'] });
  await named.checkUrl('http://169.254.10.1/');
});

test('a list allows its networks and no other', async () => {
  const guard = createAddressGuard({ allow: ['10.20.0.0/16', '127.0.0.1', 'fd12::/16'] });
  for (const host of ['10.20.3.4', '127.0.0.1', '[::ffff:10.20.0.1]', '[fd12::5]'])
    await guard.checkUrl(`http://${host}/`);
  for (const host of ['10.21.0.1', '127.0.0.2', '[fd13::5]', '169.254.169.254']) {
    await assert.rejects(guard.checkUrl(`http://${host}/`), AddressRefused, host);
  }
});

test('the checked address is the one connected to, though the name resolves to another the next time', async (t) => {
  let hits = 0;
  const server = createServer((_request, response) => {
    hits += 1;
    response.end('inside');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const answers = ['127.0.0.1', '10.0.0.1'];
  const asked: string[] = [];
  const guard = createAddressGuard({
    allow: ['127.0.0.1'],
    resolve: async (hostname) => {
      asked.push(hostname);
      return [{ address: answers.shift() ?? '10.0.0.1', family: 4 }];
    },
  });
  const agent = createGuardedAgent({ guard, connectTimeoutMs: 1000, connectionsPerOrigin: 1 });
  t.after(() => agent.destroy());
  const url = `http://rebind.example.org:${port}/`;
  const first = await request(url, { dispatcher: agent, headers: { connection: 'close' } });
  assert.equal(await first.body.text(), 'inside');
  assert.deepEqual(asked, ['rebind.example.org'], 'one look-up serves the check and the connection');
  await assert.rejects(request(url, { dispatcher: agent }), AddressRefused);
  assert.equal(hits, 1);
});

test('an IP address in a URL is refused at connection too', async (t) => {
  const agent = createGuardedAgent({
    guard: createAddressGuard({ allow: false }),
    connectTimeoutMs: 1000,
    connectionsPerOrigin: 1,
  });
  t.after(() => agent.destroy());
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254']) {
    await assert.rejects(request(`http://${host}:9/`, { dispatcher: agent }), AddressRefused, host);
  }
});

async function startServer(t: { after(cleanUp: () => void): void }): Promise<number> {
  const server = createServer((_request, response) => response.end('inside'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('a trusted origin passes at registration and at connection; its host on another port or scheme does not', async (t) => {
  const [port, otherPort] = [await startServer(t), await startServer(t)];
  const guard = createAddressGuard({
    allow: false,
    trustedOrigins: [`http://127.0.0.1:${port}/api/v1`, 'http://[::1]:80'],
  });
  for (const url of [`http://127.0.0.1:${port}/inbox?provider_guid=1`, 'http://[::1]/', 'http://[0::1]:80/']) {
    await guard.checkUrl(url);
  }
  const refused = [
    `http://127.0.0.1:${otherPort}/inbox`,
    `https://127.0.0.1:${port}/inbox`,
    `http://127.0.0.2:${port}/inbox`,
    `http://localhost:${port}/inbox`,
    'http://127.0.0.1/inbox',
    'https://[::1]/',
  ];
  for (const url of refused) await assert.rejects(guard.checkUrl(url), AddressRefused, url);
  await assert.rejects(guard.checkUrl(`http://user:pw@127.0.0.1:${port}/`), /user name/);
  const agent = createGuardedAgent({ guard, connectTimeoutMs: 1000, connectionsPerOrigin: 1 });
  t.after(() => agent.destroy());
  const answer = await request(`http://127.0.0.1:${port}/inbox`, { dispatcher: agent });
  assert.equal(await answer.body.text(), 'inside');
  for (const url of refused) await assert.rejects(request(url, { dispatcher: agent }), AddressRefused, url);
});

test('a trusted origin may be a public name over plain http, and a target is matched by its exact port', () => {
  const guard = createAddressGuard({
    allow: false,
    trustedOrigins: ['http://engine.internal', 'http://[fd00::1]:8083'],
  });
  assert.ok(guard.isTrusted({ protocol: 'http:', hostname: 'engine.internal', port: '' }));
  assert.ok(guard.isTrusted({ protocol: 'http:', hostname: 'fd00::1', port: '8083' }), 'brackets stripped');
  assert.ok(!guard.isTrusted({ protocol: 'http:', hostname: 'engine.internal', port: '8083' }));
  assert.ok(!guard.isTrusted({ protocol: 'http:', hostname: 'fd00::1', port: '8082' }));
});
