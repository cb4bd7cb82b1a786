// The tenants file: every fault is named, and none of its passwords.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTenants, placeOf, tenantsText } from './tenants-file.ts';

const issuesOf = (document: unknown) => {
  const file = parseTenants(typeof document === 'string' ? document : JSON.stringify(document));
  return 'issues' in file ? file.issues : [];
};

test('a file is read as it was written', () => {
  const tenants = [
    {
      name: 'north',
      schema: 'n',
      databaseUrl: 'postgresql://n:pw@db/kedja',
      directUrl: undefined,
      hosts: ['n.example'],
    },
    { name: 'south', schema: 's', databaseUrl: undefined, directUrl: undefined, hosts: [] },
  ];
  assert.deepEqual(parseTenants(tenantsText(tenants)), { tenants });
  assert.deepEqual(parseTenants('{ "tenants": [] }'), { tenants: [] });
});

test('every fault is named with its place, and no secret', () => {
  const issues = issuesOf({
    version: 1,
    tenants: [
      { name: 'North', schema: 'pg_north', database: 'mysql://u:hidden@h/d', hosts: ['N.example:80'], port: 1 },
      { name: 'default', schema: 'x'.repeat(31), database_direct: 'postgresql://u:hidden@h' },
      'south',
    ],
  });
  assert.equal(issues.length, 11, issues.join('\n'));
  for (const part of ['"version"', "tenants[0]: 'name'", "tenants[0]: 'schema'", "tenants[0]: 'database'", '"port"'])
    assert.ok(
      issues.some((issue) => issue.includes(part)),
      part,
    );
  assert.ok(issues.includes("tenants[1]: 'database_direct' needs 'database'"));
  assert.ok(issues.includes('tenants[2]: must be an object'));
  assert.doesNotMatch(issues.join(), /hidden/);
});

test('names, hosts, and schemas of one database are not shared', () => {
  const one = { name: 'a', schema: 's', database: 'postgresql://x:1@h/d', hosts: ['a.example'] };
  const other = { ...one, database: 'postgresql://y:2@h/d' };
  assert.deepEqual(issuesOf({ tenants: [one, other] }), [
    'a: the name a is that of a, too',
    'a: the host name a.example is that of a, too',
    'a: the schema s is that of a, too',
  ]);
  assert.deepEqual(issuesOf({ tenants: [one, { name: 'b', schema: 's', database: 'postgresql://x:1@h/e' }] }), []);
});

test('what is no list of tenants is refused', () => {
  for (const content of ['', '[]', '{}', '{"tenants":{}}', 'null']) assert.equal(issuesOf(content).length, 1, content);
});

test('the place of a database shows neither user nor password', () => {
  assert.equal(placeOf('postgresql://user:secret@db.example:5433/kedja?sslmode=require'), 'db.example:5433/kedja');
});
