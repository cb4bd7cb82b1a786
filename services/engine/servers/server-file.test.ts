// KEDJA_SERVERS_FILE: every error names its entry, and repeats nothing of the content.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseServerFile } from './server-file.ts';

function issuesOf(content: unknown): readonly string[] {
  const file = parseServerFile(typeof content === 'string' ? content : JSON.stringify(content));
  return 'issues' in file ? file.issues : [];
}

test('a list of servers is read, with what was left out', () => {
  const list = [
    { name: 'a', url: 'http://10.0.0.1/fhir/' },
    {
      name: 'b',
      url: 'https://t.example.org',
      kind: 'terminology',
      timeout_ms: 500,
      auth: { type: 'bearer', token: 'x' },
    },
  ];
  assert.deepEqual(parseServerFile(JSON.stringify(list)), {
    servers: [
      {
        name: 'a',
        url: 'http://10.0.0.1/fhir',
        kind: 'fhir',
        auth: { type: 'none' },
        timeoutMs: 10_000,
        revision: 'file',
      },
      {
        name: 'b',
        url: 'https://t.example.org',
        kind: 'terminology',
        auth: { type: 'bearer', secret: 'x' },
        timeoutMs: 500,
        revision: 'file',
      },
    ],
  });
});

test('every error is named with its entry, and no secret', () => {
  assert.deepEqual(issuesOf('no json'), ['must hold JSON']);
  assert.deepEqual(issuesOf({}), ['must hold a JSON list']);
  const server = { name: 'a', url: 'https://a.example.org' };
  const issues = issuesOf([
    server,
    { url: 'https://b.example.org', secret: 'visible' },
    { ...server, name: 'c', auth: { type: 'basic', password: 'visible' } },
    server,
    { ...server, name: 'd', auth: { type: 'bearer', token: 'visible visible' } },
    7,
  ]);
  assert.ok(!issues.join().includes('visible'), issues.join());
  assert.deepEqual(
    issues.map((issue) => issue.slice(0, 3)),
    ['[1]', '[1]', '[2]', '[3]', '[4]', '[5]'],
  );
  assert.match(issues.join('\n'), /\[2\]: 'auth\.username' is required/);
});
