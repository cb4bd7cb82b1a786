// The statements gate is red for SQL that is not portable.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { statementIssues } from '../../scripts/gates/statements.ts';

/** The issues of a tree with these files in `lib/`, without what is said of each. */
function issuesOf(t: TestContext, files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'kedja-statements-'));
  t.after(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'lib/migrations'), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, 'lib', name), text);
  return statementIssues(root).map((issue) => issue.replace('lib/', ''));
}

const VOLATILE =
  'assigns a volatile function, which shards evaluate each for itself: use statement_timestamp(), or a value';
const PLACE = 'finds rows by ctid alone, which is unique within a partition only: add tableoid';
const trigger = (options = '', body = 'INSERT INTO change VALUES (NEW.id);') =>
  `CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql ${options}AS $$\nBEGIN\n  ${body}\n  RETURN NULL;\nEND $$;\n`;

test('an assignment of a volatile function is named', (t) => {
  const issues = issuesOf(t, {
    'update.ts':
      "\nconst a = `UPDATE job SET holder = $1,\n  until = clock_timestamp() + interval '1 minute' WHERE id = $2`;",
    'upsert.ts':
      "const a = `INSERT INTO seen VALUES ($1) ON CONFLICT (id) DO UPDATE SET number = nextval('seen_number')`;",
    'read.ts':
      'const a = `SELECT clock_timestamp()`; const b = `UPDATE job SET until = statement_timestamp() WHERE at < clock_timestamp()`;',
    'local.ts': 'const a = `SET LOCAL lock_timeout = 1`; const b = `SELECT random()`;',
  });
  assert.deepEqual(issues, [`update.ts:2 ${VOLATILE}`, `upsert.ts:1 ${VOLATILE}`]);
});

test('rows that are found by ctid alone are named', (t) => {
  const issues = issuesOf(t, {
    'any.ts': 'const a = `DELETE FROM word WHERE ctid = ANY(ARRAY(SELECT ctid FROM word LIMIT 10))`;',
    'in.ts': 'const a = `DELETE FROM word WHERE ctid IN (SELECT ctid FROM word LIMIT 10)`;',
    'both.ts':
      'const a = `DELETE FROM word w USING chosen WHERE w.ctid = chosen.ctid AND w.tableoid = chosen.tableoid`;',
  });
  assert.deepEqual(issues, [`any.ts:1 ${PLACE}`, `in.ts:1 ${PLACE}`]);
});

test('a trigger function that uses tables has a search path of its own, or gets one', (t) => {
  const files = { 'migrations/0001_a.sql': trigger() };
  const issue = 'migrations/0001_a.sql:1 note has no SET search_path FROM CURRENT';
  assert.deepEqual(issuesOf(t, files), [issue]);
  const later = { 'migrations/0002_b.sql': 'ALTER FUNCTION note() SET search_path FROM CURRENT;\n' };
  assert.deepEqual(issuesOf(t, { ...files, ...later }), []);
  assert.deepEqual(issuesOf(t, { 'migrations/0001_a.sql': trigger('SET search_path FROM CURRENT ') }), []);
  assert.deepEqual(issuesOf(t, { 'migrations/0001_a.sql': trigger('', "RAISE EXCEPTION 'append-only';") }), []);
});
