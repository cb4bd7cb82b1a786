// The table of versions, row by row: which version is used, and what is said of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_RULES, type VersionRules } from './version-rules.ts';
import { chooseVersion, VERSION_TABLE, violatedCheck } from './version-table.ts';

const URL = 'urn:vessels';
const definition = (version: string, status = 'active') => ({
  url: URL,
  version,
  status,
  id: undefined,
  name: undefined,
  title: undefined,
  supplements: undefined,
  resource: () => ({}),
});
const KNOWN = ['1.0.0', '1.4.0', '2.0.0'].map((version) => definition(version)).concat(definition('3.0.0', 'retired'));

type Rule = 'forced' | 'defaults' | 'checked';

function rulesOf(versions: Partial<Record<Rule, string>>): VersionRules {
  const maps = Object.entries(versions).map(([rule, version]) => [rule, new Map([[URL, version]])]);
  return { ...NO_RULES, ...Object.fromEntries(maps) };
}

interface Row {
  readonly named?: string;
  readonly given?: string;
  readonly rules?: Partial<Record<Rule, string>>;
  readonly used: string | undefined;
  readonly findings?: readonly string[];
  /** The parameter that has decided. */
  readonly by?: string;
}

const ROWS: readonly Row[] = [
  // Nothing is asked for: the newest that is not retired, or the coding's own.
  { used: '2.0.0' },
  { given: '1.0.0', used: '1.0.0' },
  { given: '3.0.0', used: '3.0.0' },
  { given: '1.x.x', used: '1.4.0' },
  { given: '9', used: '2.0.0', findings: ['given-unknown', 'differs-from-newest'] },
  // The include names a version, or a pattern.
  { named: '1.0.0', used: '1.0.0' },
  { named: '1.x.x', used: '1.4.0' },
  { named: '1.*', used: '1.4.0' },
  { named: '1.x.x', given: '1.0.0', used: '1.0.0' },
  { named: '1.0.0', given: '1.0.0', used: '1.0.0' },
  { named: '1.0.0', given: '2.0.0', used: '1.0.0', findings: ['differs'] },
  { named: '1.x.x', given: '2.0.0', used: '1.4.0', findings: ['differs'] },
  { named: '1.0.0', given: '9', used: '1.0.0', findings: ['differs', 'given-unknown'] },
  // The include names a version that is not known; one without a wildcard is no pattern.
  { named: '1', used: '2.0.0', findings: ['wanted-unknown'] },
  { named: '1', given: '1', used: '2.0.0', findings: ['wanted-unknown'] },
  { named: '1', given: '1.0.0', used: '1.0.0', findings: ['differs', 'wanted-unknown'] },
  { named: '1', given: '9', used: '2.0.0', findings: ['differs', 'wanted-unknown', 'given-unknown'] },
  { named: '1', rules: { defaults: '1.0.0' }, used: '1.0.0', findings: ['wanted-unknown'] },
  { named: '1', rules: { checked: '1.4.x' }, used: '1.4.0', findings: ['wanted-unknown'] },
  // system-version is for includes that name none.
  { rules: { defaults: '1.0.0' }, used: '1.0.0', by: 'system-version' },
  { named: '2.0.0', rules: { defaults: '1.0.0' }, used: '2.0.0' },
  { given: '2.0.0', rules: { defaults: '1.0.0' }, used: '1.0.0', findings: ['differs'], by: 'system-version' },
  // So is check-system-version, which system-version goes before.
  { rules: { checked: '1.x' }, used: '1.4.0', by: 'check-system-version' },
  { rules: { checked: '1.x', defaults: '2.0.0' }, used: '2.0.0', by: 'system-version' },
  { named: '2.0.0', rules: { checked: '1.x' }, used: '2.0.0' },
  // force-system-version goes before the include, and does not change what the coding says.
  { named: '2.0.0', rules: { forced: '1.0.x' }, used: '1.0.0', by: 'force-system-version' },
  { named: '1', rules: { forced: '1.0.x' }, used: '1.0.0', by: 'force-system-version' },
  { named: '2.0.0', given: '1.0.0', rules: { forced: '1.0.x' }, used: '1.0.0', by: 'force-system-version' },
  {
    named: '1.0.0',
    given: '9',
    rules: { forced: '1.0.x' },
    used: '1.0.0',
    findings: ['differs', 'given-unknown'],
    by: 'force-system-version',
  },
];

for (const { named, given, rules = {}, used, findings = [], by } of ROWS) {
  const asked = JSON.stringify({ include: named, coding: given, ...rules });
  test(`of ${asked} ${used} is used`, () => {
    const chosen = chooseVersion(KNOWN, rulesOf(rules), { url: URL, named, given });
    assert.deepEqual(
      [chosen.definition?.version, [...chosen.findings].sort(), chosen.parameter],
      [used, [...findings].sort(), by],
    );
  });
}

test('every cell of the table has a row here', () => {
  const cells = Object.values(VERSION_TABLE).flatMap((row) => Object.values(row));
  const reached = new Set(
    ROWS.map(({ named, given, rules = {} }) =>
      JSON.stringify(chooseVersion(KNOWN, rulesOf(rules), { url: URL, named, given }).findings),
    ),
  );
  for (const { findings } of cells) assert.ok(reached.has(JSON.stringify(findings)), findings.join());
});

test('nothing is chosen of a code system that is not known', () => {
  const chosen = chooseVersion([], NO_RULES, { url: URL, named: undefined, given: '1' });
  assert.equal(chosen.definition, undefined);
});

test('a version is checked as it results', () => {
  const rules = rulesOf({ checked: '1.0.x' });
  assert.equal(violatedCheck(rules, URL, '1.0.7'), undefined);
  assert.equal(violatedCheck(rules, URL, '1.4.0'), '1.0.x');
  assert.equal(violatedCheck(rules, URL, undefined), undefined);
  assert.equal(violatedCheck(rules, 'urn:other', '1.4.0'), undefined);
});
