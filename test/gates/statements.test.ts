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

const RETURNED = 'returns an expression that is not immutable, which Citus refuses: select it of what was written';
const CHOSEN =
  'chooses by CASE or coalesce what is not immutable, which Citus refuses in a change: choose before the statement';
const ASKED = 'has a query among VALUES, which Citus refuses: write INSERT … SELECT';
const SETTING =
  'sets an own setting without reading a table, so that Citus sets it at the coordinator alone: add EXISTS (SELECT FROM …)';

test('an expression that is not immutable, returned or chosen in a change, is named', (t) => {
  const issues = issuesOf(t, {
    'char.ts': "const a = `UPDATE job SET at = $1\nRETURNING id, to_char(at, 'YYYY')`;",
    'instant.ts': `const a = \`INSERT INTO job VALUES ($1) RETURNING id, \${instant('at')}\`;`,
    'plain.ts':
      "const a = `WITH written AS (INSERT INTO job VALUES ($1) RETURNING *) SELECT to_char(at, 'YYYY') FROM written`;",
    'case.ts': 'const a = `UPDATE job SET at = CASE WHEN $1 THEN statement_timestamp() END`;',
    'coalesce.ts': 'const a = `INSERT INTO job VALUES (coalesce($1, lower($2), now()))`;',
    'before.ts': `const a = \`UPDATE job SET at = \${done ? 'statement_timestamp()' : 'NULL'}, n = CASE WHEN $1 THEN 1 END\`;`,
    'read.ts': 'const a = `SELECT CASE WHEN $1 THEN now() END`;',
    'migrations/0001_a.sql': 'INSERT INTO job VALUES (coalesce(NULL, now()));',
  });
  assert.deepEqual(issues, [
    `case.ts:1 ${CHOSEN}`,
    `char.ts:2 ${RETURNED}`,
    `coalesce.ts:1 ${CHOSEN}`,
    `instant.ts:1 ${RETURNED}`,
  ]);
});

test('a query among values, and an own setting for the coordinator alone, are named', (t) => {
  const issues = issuesOf(t, {
    'value.ts': 'const a = `INSERT INTO job VALUES ($1, lower($2), (SELECT max(n) FROM job))`;',
    'within.ts': 'const a = `INSERT INTO job VALUES ($1, coalesce($2, (SELECT max(n) FROM job)))`;',
    'select.ts': 'const a = `INSERT INTO job SELECT $1, coalesce($2, max(n)) FROM job`;',
    'setting.ts': `const a = "SELECT set_config('kedja.removes', 'on', true)";`,
    'node.ts': `const a = "SELECT set_config('kedja.removes', 'on', true), EXISTS (SELECT FROM job)";`,
    'other.ts': `const a = "SELECT set_config('synchronous_commit', 'off', true)";`,
  });
  assert.deepEqual(issues, [`setting.ts:1 ${SETTING}`, `value.ts:1 ${ASKED}`, `within.ts:1 ${ASKED}`]);
});

test('a constraint that a new migration adds beside other changes of the table is named', (t) => {
  const both = 'ALTER TABLE job DROP CONSTRAINT job_state,\n  ADD CONSTRAINT job_state CHECK (state IN (1, 2));';
  const issues = issuesOf(t, {
    'migrations/0500_old.sql': both,
    'migrations/0501_new.sql': `-- Why, and\n${both}`,
    'migrations/0502_alone.sql':
      'ALTER TABLE job DROP CONSTRAINT job_state;\nALTER TABLE job ADD CONSTRAINT job_state CHECK (coalesce(a, (b)) IN (1, 2)); -- a, b\n',
    'migrations/0503_columns.sql': 'ALTER TABLE job ADD COLUMN a integer, ADD COLUMN b integer;',
  });
  const message = 'adds a constraint beside other changes of the table, which Citus refuses: a statement of its own';
  assert.deepEqual(issues, [`migrations/0501_new.sql:2 ${message}`]);
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
