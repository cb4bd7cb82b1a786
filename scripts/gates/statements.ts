// The statements gate: SQL that a distributed or partitioned PostgreSQL refuses or gets wrong
// (docs/adr/0119-portable-statements.md).
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { statementsOf } from '../../lib/db/schema/sql-statements.ts';

const SOURCES = '{lib,fhir,services,runtime,cli,gateway,clients}/**/*.{ts,sql}';
const NO_SOURCES = ['**/node_modules', '**/generated', '**/*.test.ts'];
/** Functions with another value each time that they are called: shards of one table would get different ones. */
const VOLATILE = /\b(?:clock_timestamp|timeofday|random|gen_random_uuid|uuidv7|nextval|setval)\s*\(/;
/** The assignments of an UPDATE or of ON CONFLICT DO UPDATE, as far as they go. */
const ASSIGNMENTS = /\bSET\s+(?!LOCAL\b|SESSION\b)[a-z_"(]((?!\b(?:WHERE|RETURNING)\b)[^`;])*/g;
/** Functions that are stable or volatile: their value is not fixed by their arguments. */
const NOT_IMMUTABLE = String.raw`(?<!\.)\b(?:now|statement_timestamp|clock_timestamp|to_char|to_timestamp|convert_to)\s*\(`;
/** What a change returns of the rows that it writes; `instant` is a column as text by `to_char`. */
const RETURNED = new RegExp(String.raw`\bRETURNING\b(?:(?!\bSELECT\b)[^\`;])*?(?:${NOT_IMMUTABLE}|\$\{instant\()`, 'g');
/** A branch in a change. */
const CHOSEN = new RegExp(
  String.raw`\b(?:UPDATE|INSERT INTO)\b[^\`;]*?` +
    String.raw`(?:\bCASE\b(?:(?!\bEND\b)[^\`;])*?|\bcoalesce\((?:[^()\`;]|\([^()\`;]*\))*?)${NOT_IMMUTABLE}`,
  'g',
);
/** A query among the values of an INSERT. */
const ASKED_VALUE = /\bVALUES\s*\((?:(?!\b(?:ON CONFLICT|RETURNING|FROM|WHERE)\b)[^`;])*?\(\s*SELECT\b/g;
/** An own setting, which a trigger or a policy reads, in a statement that reads no table. */
const OWN_SETTING = /\bSELECT set_config\('kedja\.(?![^`";]*\bFROM\b)/g;
const BY_PLACE = /\bctid\s*(?:=\s*ANY\b|IN\b)/g;
const TRIGGER_FUNCTION =
  /\bCREATE (?:OR REPLACE )?FUNCTION (\w+)\(\) RETURNS trigger([\s\S]*?)AS (\$\w*\$)([\s\S]*?)\3/g;
/** The number of the last migration that may add a constraint beside other changes of its table. */
const LAST_FREE = 500;
const ADDED_CONSTRAINT = /\bADD (?:CONSTRAINT|CHECK|UNIQUE|PRIMARY KEY|FOREIGN KEY|EXCLUDE)\b/;
const USES_TABLES = /\b(?:INSERT INTO|UPDATE|DELETE FROM|FROM)\b/;

/** One text for each statement below `root` that is not portable. */
export function statementIssues(root: string): string[] {
  const files = globSync(SOURCES, { cwd: root, exclude: NO_SOURCES }).sort();
  if (files.length === 0) return [`no source file found in ${root}`];
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  return [
    ...texts.flatMap(({ file, text }) => [
      // An applied migration does not change, and what it did is done.
      ...(file.endsWith('.sql') ? [] : [...volatileAssignments(file, text), ...distributedIssues(file, text)]),
      ...places(
        file,
        text,
        BY_PLACE,
        'finds rows by ctid alone, which is unique within a partition only: add tableoid',
      ),
    ]),
    ...texts.filter(({ file }) => file.endsWith('.sql')).flatMap(({ file, text }) => constraintIssues(file, text)),
    ...unboundTriggers(texts.filter(({ file }) => file.endsWith('.sql'))),
  ];
}

/** Citus adds a constraint to a table of a distributed schema by a statement that does nothing else. */
function constraintIssues(file: string, text: string): string[] {
  if (Number(basename(file).slice(0, 4)) <= LAST_FREE) return [];
  const message = 'adds a constraint beside other changes of the table, which Citus refuses: a statement of its own';
  return statementsOf(text).flatMap(({ text: statement, start }) => {
    const begin = statement.search(/^ALTER TABLE\b/m);
    if (begin === -1 || !ADDED_CONSTRAINT.test(statement)) return [];
    return withoutParentheses(statement.slice(begin)).includes(',')
      ? [`${file}:${lineOf(text, start + begin)} ${message}`]
      : [];
  });
}

function withoutParentheses(text: string): string {
  const shorter = text.replaceAll(/\([^()]*\)|--.*/g, '');
  return shorter === text ? text : withoutParentheses(shorter);
}

function volatileAssignments(file: string, text: string): string[] {
  const message =
    'assigns a volatile function, which shards evaluate each for itself: use statement_timestamp(), or a value';
  return [...text.matchAll(ASSIGNMENTS)]
    .filter(([assignments]) => VOLATILE.test(assignments))
    .map(({ index }) => `${file}:${lineOf(text, index)} ${message}`);
}

/** What Citus refuses, or does at the coordinator alone, for a schema that is on another node. */
function distributedIssues(file: string, text: string): string[] {
  return [
    ...places(
      file,
      text,
      RETURNED,
      'returns an expression that is not immutable, which Citus refuses: select it of what was written',
    ),
    ...places(
      file,
      text,
      CHOSEN,
      'chooses by CASE or coalesce what is not immutable, which Citus refuses in a change: choose before the statement',
    ),
    ...places(file, text, ASKED_VALUE, 'has a query among VALUES, which Citus refuses: write INSERT … SELECT'),
    ...places(
      file,
      text,
      OWN_SETTING,
      'sets an own setting without reading a table, so that Citus sets it at the coordinator alone: add EXISTS (SELECT FROM …)',
    ),
  ];
}

/** Trigger functions that find tables by the search path of who writes; a later migration may have set their own. */
function unboundTriggers(files: readonly { readonly file: string; readonly text: string }[]): string[] {
  const folders = Map.groupBy(files, ({ file }) => dirname(file));
  return [...folders.values()].flatMap((migrations) => {
    const all = migrations.map(({ text }) => text).join('\n');
    return migrations.flatMap(({ file, text }) =>
      [...text.matchAll(TRIGGER_FUNCTION)]
        .filter(([, name, options = '', , body = '']) => {
          if (options.includes('SET search_path') || !USES_TABLES.test(body)) return false;
          return !new RegExp(`\\b(?:ALTER|DROP) FUNCTION ${name}\\(\\)(?: SET search_path|;)`).test(all);
        })
        .map(({ index, 1: name }) => `${file}:${lineOf(text, index)} ${name} has no SET search_path FROM CURRENT`),
    );
  });
}

function places(file: string, text: string, pattern: RegExp, message: string): string[] {
  return [...text.matchAll(pattern)].map(({ index }) => `${file}:${lineOf(text, index)} ${message}`);
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}

if (import.meta.main) {
  const issues = statementIssues(join(import.meta.dirname, '../..'));
  for (const issue of issues) console.log(issue);
  process.exitCode = issues.length === 0 ? 0 : 1;
}
