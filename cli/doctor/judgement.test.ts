// What `kedja doctor` makes of figures: servers, clocks, disks, certificates and releases that no test can have.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DAY_MS } from '#lib/clock.ts';
import { Secret } from '#lib/config/secret.ts';
import { VERSION } from '../../runtime/version.ts';
import { clockFinding, encodingFinding, serverFindings, versionFinding } from './database-judgement.ts';
import { createRedactor, type Finding, lineOf } from './findings.ts';
import { spaceFinding } from './machine.ts';
import { releaseFindings } from './nodes.ts';
import { certificateEnd } from './outside.ts';
import { publicHostFindings } from './tenants.ts';

const GIB = 2 ** 30;
const SERVER = { standby: false, superuser: false, connections: 97, needed: 33, unsafe: [] };
const disk = (free: number, total: number, files = 1) =>
  spaceFinding('/data', { bsize: 1, bavail: free, blocks: total, ffree: files * 1000, files: 1000 });

const CASES: readonly [what: string, found: Finding | undefined, level: Finding['level'] | undefined, text: RegExp][] =
  [
    ['an old server', versionFinding({ version: 140_011, shown: '14.11' }), 'error', /PostgreSQL 14\.11\. Upgrade/],
    ['a server', versionFinding({ version: 150_000, shown: '15.0' }), 'ok', /PostgreSQL 15\.0 answers/],
    ['another encoding', encodingFinding('LATIN1'), 'error', /LATIN1\. Make one with ENCODING 'UTF8'/],
    ['a standby', serverFindings({ ...SERVER, standby: true })[0], 'error', /primary/],
    ['a superuser', serverFindings({ ...SERVER, superuser: true })[0], 'warning', /superuser/],
    ['few connections', serverFindings({ ...SERVER, needed: 132 })[0], 'warning', /132 connections.* takes 97/],
    ['no durability', serverFindings({ ...SERVER, unsafe: ['fsync'] })[0], 'warning', /fsync is off/],
    ['nothing wrong', serverFindings(SERVER)[0], undefined, /^$/],
    ['clocks that agree', clockFinding(-999), 'ok', /agree/],
    ['a clock ahead', clockFinding(1500), 'warning', /1\.5 s ahead of .*NTP/],
    ['a clock behind', clockFinding(-61_000), 'error', /61\.0 s behind/],
    ['a full disk', disk(GIB / 5, 100 * GIB), 'error', /0\.2 GiB \(0 %\)/],
    ['a disk that fills', disk(4 * GIB, 100 * GIB), 'warning', /4\.0 GiB \(4 %\)/],
    ['a small disk', disk(3 * GIB, 4 * GIB), 'ok', /75 %/],
    ['no inodes', disk(50 * GIB, 100 * GIB, 0.01), 'warning', /10 more files/],
    ['an old certificate', certificateEnd(10 * DAY_MS, 0), 'warning', /10 more days/],
    ['a certificate', certificateEnd(60 * DAY_MS, 0), 'ok', /60 more days/],
    [
      'another release',
      releaseFindings([{ release: '0.0.9', url: 'http://a' }])[0],
      'warning',
      /http:\/\/a runs 0\.0\.9/,
    ],
    ['one release', releaseFindings([{ release: VERSION, url: 'http://a' }])[0], 'ok', /All nodes/],
    ['a release not known', releaseFindings([{ release: undefined, url: 'http://a' }])[0], undefined, /^$/],
  ];

for (const [what, found, level, text] of CASES) {
  test(`doctor on ${what}: ${level ?? 'nothing'}`, () => {
    assert.equal(found?.level, level);
    assert.match(found === undefined ? '' : lineOf(found), text);
  });
}

test('secrets of the configuration, and passwords within addresses, are in no text', () => {
  const redact = createRedactor({
    shared: {
      databaseUrl: new Secret('postgresql://kedja:p%40ssword-1@db/kedja'),
      list: [{ secret: new Secret('long-enough') }],
    },
  });
  assert.equal(
    redact('p%40ssword-1 p@ssword-1 long-enough kedja postgresql://kedja:p%40ssword-1@db/kedja'),
    '[secret] [secret] [secret] kedja [secret]',
  );
});

test('a finding is one line without control characters', () => {
  const line = lineOf({ level: 'error', code: 'disk.full', message: 'a\n\u001b[31mb', advice: 'Do  it' });
  assert.match(line, /^error {3}disk {10}a .\[31mb\. Do it\.$/);
});

test('a tenant with the public host name is reported', () => {
  const tenants = [
    { name: 'north', hosts: ['north.example.org', 'kedja.example.org'] },
    { name: 'south', hosts: ['south.example.org'] },
  ];
  const found = publicHostFindings(tenants, 'https://kedja.example.org:8443');
  assert.deepEqual(
    found.map(({ message }) => message.split(' ', 2).join(' ')),
    ['Tenant north'],
  );
  for (const publicUrl of ['https://www.example.org', undefined])
    assert.deepEqual(publicHostFindings(tenants, publicUrl), []);
});
