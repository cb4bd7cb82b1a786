import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summarize } from './query-summary.ts';

const CASES: readonly [statement: string, summary: string][] = [
  ['SELECT 1', 'SELECT'],
  ['BEGIN ISOLATION LEVEL SERIALIZABLE; SET LOCAL search_path = engine', 'BEGIN'],
  ['COMMIT', 'COMMIT'],
  ['SELECT name FROM users u JOIN groups g ON g.guid = u.group WHERE name = $1', 'SELECT users groups'],
  ['/* dispatch */ UPDATE delivery d SET status = $1 FROM locked_row WHERE d.guid = $2', 'UPDATE delivery locked_row'],
  ["SELECT x FROM a WHERE name = 'FROM patient' -- FROM comment\n AND y = $1 FOR UPDATE OF a", 'SELECT a'],
  ['INSERT INTO seen (guid) SELECT guid FROM person ON CONFLICT DO UPDATE SET at = $1', 'INSERT seen SELECT person'],
  [
    'WITH lost AS MATERIALIZED (SELECT guid FROM delivery FOR NO KEY UPDATE) DELETE FROM attempt USING lost',
    'SELECT delivery DELETE attempt',
  ],
  ['SELECT extract(epoch FROM next_at), a IS DISTINCT FROM b FROM unnest($1::int[]) AS k(n)', 'SELECT'],
  ['COPY audit_event (guid, at) FROM STDIN', 'COPY audit_event'],
];

test('the summary of a statement is its operations and tables, without values', () => {
  for (const [statement, summary] of CASES) assert.equal(summarize(statement), summary, statement);
});

test('a long statement has a short summary', () => {
  const unions = Array.from({ length: 200 }, (_, at) => `SELECT x FROM table_${at}`).join(' UNION ALL ');
  assert.ok(summarize(unions).length <= 120);
});
