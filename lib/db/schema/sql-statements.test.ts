import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementsOf } from './sql-statements.ts';

const texts = (sql: string) => statementsOf(sql).map(({ text }) => text.trim());

test('statements end at semicolons, the last one also without', () => {
  assert.deepEqual(texts('SELECT 1; SELECT 2;\nSELECT 3'), ['SELECT 1', 'SELECT 2', 'SELECT 3']);
  assert.deepEqual(texts(' ;; SELECT 1;; '), ['SELECT 1']);
  assert.deepEqual(texts(''), []);
});

test('semicolons of texts, names, comments and bodies end nothing', () => {
  const whole = [
    `INSERT INTO "a;""b" VALUES ('it''s; so', E'back\\\\slash \\'; \\\\', $1, 'c:\\')`,
    'CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT 1; $$',
    "DO $body$ BEGIN PERFORM $$;$$; PERFORM ';'; END $body$",
    'SELECT a$b, c /* not; /* here; */ nor; here */ FROM d -- and; not here\n WHERE e',
    'SELECT a - -1, b * c / d',
  ];
  assert.deepEqual(texts(whole.join(';\n')), whole);
});

test('comments alone are no statement, and stay with the one that they precede', () => {
  assert.deepEqual(texts('-- one;\nSELECT 1;\n-- two;\n/* three; */'), ['-- one;\nSELECT 1']);
});

test('each statement knows where it begins', () => {
  const sql = "-- first\nSELECT ';';\nSELECT $$;$$; SELECT 3";
  for (const { text, start } of statementsOf(sql)) assert.equal(sql.slice(start, start + text.length), text);
  assert.deepEqual(
    statementsOf(sql).map(({ start }) => start),
    [0, 20, 34],
  );
});
