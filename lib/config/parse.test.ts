import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Environment } from './environment.ts';
import { withEnvFile } from './environment.ts';
import { parseConfig } from './parse.ts';
import type { Secret } from './secret.ts';
import { defineSection, type Mode, variable } from './section.ts';
import { boolean, integer, listOf, oneOf, secretText, text } from './types.ts';

const folder = mkdtempSync(join(tmpdir(), 'kedja-config-'));
after(() => rmSync(folder, { recursive: true }));

const sections = {
  web: defineSection({
    title: 'Web',
    variables: {
      port: variable('KEDJA_WEB_PORT', integer({ min: 1, max: 9 }), { default: 8, description: 'The port.' }),
      address: variable('KEDJA_WEB_URL', text(), { required: true, description: 'The address.' }),
      level: variable('KEDJA_WEB_LEVEL', oneOf(['low', 'high']), {
        default: 'low',
        demo: 'high',
        description: 'The level.',
      }),
      isOpen: variable('KEDJA_WEB_OPEN', boolean(), { description: 'Whether it is open.' }),
    },
    check: ({ port, level }, { mode }) =>
      mode === 'production' && level === 'high' && port === 8 ? ['KEDJA_WEB_LEVEL high takes another port'] : [],
  }),
  mail: defineSection({
    title: 'Mail',
    variables: {
      password: variable('KEDJA_MAIL_PASSWORD', secretText(), { required: true, description: 'The password.' }),
      hosts: variable('KEDJA_MAIL_HOSTS', listOf(text()), { default: [], description: 'The hosts.' }),
      pin: variable(
        'KEDJA_MAIL_PIN',
        { ...integer({ min: 0, max: 9 }), secret: true },
        { description: 'A secret number.' },
      ),
    },
    check: ({ password }, { hasIssue }) =>
      password === undefined && !hasIssue('KEDJA_MAIL_PASSWORD') ? ['KEDJA_MAIL_PASSWORD is wanted by the check'] : [],
  }),
};

const enough = { KEDJA_WEB_URL: 'https://a', KEDJA_MAIL_PASSWORD: 'hunter2' };

function read(environment: Environment, mode: Mode = 'production') {
  return parseConfig({ sections, environment, mode });
}

function issuesOf(environment: Environment, mode: Mode = 'production'): readonly string[] {
  const result = read(environment, mode);
  assert.ok(!result.ok, 'no error found');
  return result.issues;
}

test('values are typed, and defaults follow the mode', () => {
  const result = read({ ...enough, KEDJA_WEB_PORT: ' 7 ', KEDJA_MAIL_HOSTS: 'a,b', PATH: '/bin' });
  assert.ok(result.ok);
  const port: number = result.values.web.port;
  const level: 'low' | 'high' = result.values.web.level;
  const isOpen: boolean | undefined = result.values.web.isOpen;
  const hosts: readonly string[] = result.values.mail.hosts;
  const password: Secret | undefined = result.values.mail.password;
  assert.deepEqual([port, level, isOpen, hosts, password?.reveal()], [7, 'low', undefined, ['a', 'b'], 'hunter2']);
  // @ts-expect-error: a variable that is not declared is no key
  assert.equal(result.values.web.nothing, undefined);
  const demo = read({ KEDJA_MAIL_PASSWORD: 'hunter2' }, 'demo');
  assert.ok(demo.ok);
  assert.equal(demo.values.web.level, 'high');
  assert.equal(demo.values.web.address, undefined, 'demo requires nothing');
});

test('an empty value counts as not given', () => {
  const result = read({ ...enough, KEDJA_WEB_PORT: '', KEDJA_WEB_LEVEL: '  ', KEDJA_MAIL_PASSWORD_FILE: '' });
  assert.ok(result.ok);
  assert.equal(result.values.web.port, 8);
  assert.equal(result.values.web.level, 'low');
});

test('every error of every section is listed at once', () => {
  const issues = issuesOf({
    KEDJA_WEB_PORT: 'x',
    KEDJA_WEB_OPEN: 'yes',
    KEDJA_WEB_PROT: '1',
    KEDJA_MAIL_HOSTS: 'a,,a',
  });
  assert.deepEqual(issues, [
    'KEDJA_WEB_PORT must be a whole number from 1 to 9 (it is "x")',
    'KEDJA_WEB_OPEN must be true or false (it is "yes")',
    'KEDJA_MAIL_HOSTS entry 2 must not be empty (it is "a,,a")',
    'KEDJA_MAIL_HOSTS entry 3 must not be given twice (it is "a,,a")',
    'KEDJA_WEB_URL is missing: The address.',
    'KEDJA_MAIL_PASSWORD is missing: The password.',
    'KEDJA_WEB_PROT is not a known variable; did you mean KEDJA_WEB_PORT?',
  ]);
});

test('checks across variables run with what could be read', () => {
  assert.deepEqual(issuesOf({ ...enough, KEDJA_WEB_LEVEL: 'high' }), ['KEDJA_WEB_LEVEL high takes another port']);
  assert.equal(read({ ...enough, KEDJA_WEB_LEVEL: 'high', KEDJA_WEB_PORT: '7' }).ok, true);
  assert.deepEqual(issuesOf({}, 'demo'), ['KEDJA_MAIL_PASSWORD is wanted by the check']);
});

test('only active sections require their variables; the others are still read', () => {
  const active = () => ['web'] as const;
  const source = { sections, mode: 'production', active } as const;
  assert.equal(parseConfig({ ...source, environment: { KEDJA_WEB_URL: 'a', KEDJA_MAIL_HOSTS: 'b' } }).ok, true);
  const result = parseConfig({ ...source, environment: { KEDJA_WEB_URL: 'a', KEDJA_MAIL_PIN: 'b' } });
  assert.ok(!result.ok);
  assert.deepEqual(result.issues, ['KEDJA_MAIL_PIN must be a whole number from 0 to 9']);
});

test('a check across sections sees every section', () => {
  const check = () => ['KEDJA_WEB_PORT and KEDJA_MAIL_PIN quarrel'];
  const result = parseConfig({ sections, mode: 'production', environment: enough, check });
  assert.deepEqual(result, { ok: false, issues: ['KEDJA_WEB_PORT and KEDJA_MAIL_PIN quarrel'] });
});

test('unknown KEDJA_ variables are refused, near ones with the name that was meant', () => {
  const hint = (name: string) => issuesOf({ ...enough, [name]: 'x' })[0];
  assert.match(hint('KEDJA_WEB_LEVLE') ?? '', /did you mean KEDJA_WEB_LEVEL\?/);
  assert.match(hint('kedja_web_port') ?? '', /did you mean KEDJA_WEB_PORT\?/);
  assert.equal(hint('KEDJA_COMPLETELY_DIFFERENT'), 'KEDJA_COMPLETELY_DIFFERENT is not a known variable');
  assert.equal(read({ ...enough, KEDJA_TEST_DATABASE_URL: 'x' }).ok, true, 'the tests have their own');
  assert.match(hint('KEDJA_WEB_PORT_FILE') ?? '', /not a known variable/, 'only secrets come from files');
});

test('secrets come from files, without the line break at the end', () => {
  const path = join(folder, 'password');
  for (const [content, secret] of [
    ['from a file\n', 'from a file'],
    ['crlf\r\n', 'crlf'],
    [' as is ', ' as is '],
    ['two\n\n', 'two\n'],
  ]) {
    writeFileSync(path, content ?? '');
    const result = read({ KEDJA_WEB_URL: 'a', KEDJA_MAIL_PASSWORD_FILE: path });
    assert.ok(result.ok);
    assert.equal(result.values.mail.password?.reveal(), secret);
  }
});

test('a secret given twice, or in a file that is missing or empty, is one error', () => {
  const base = { KEDJA_WEB_URL: 'a' };
  const path = join(folder, 'empty');
  writeFileSync(path, '\n');
  const twice = issuesOf({ ...base, KEDJA_MAIL_PASSWORD: 'hunter2', KEDJA_MAIL_PASSWORD_FILE: path });
  assert.deepEqual(twice, ['KEDJA_MAIL_PASSWORD is given twice: by its own name and as KEDJA_MAIL_PASSWORD_FILE']);
  const missing = issuesOf({ ...base, KEDJA_MAIL_PASSWORD_FILE: join(folder, 'nowhere') });
  assert.equal(missing.length, 1);
  assert.match(
    missing[0] ?? '',
    /cannot be read from the file that KEDJA_MAIL_PASSWORD_FILE names \(.*nowhere\): ENOENT/,
  );
  assert.match(issuesOf({ ...base, KEDJA_MAIL_PASSWORD_FILE: path }).join(), /^KEDJA_MAIL_PASSWORD is empty: [^,]*$/);
  assert.match(issuesOf({ ...base, KEDJA_MAIL_PASSWORD_FILE: folder }).join(), /EISDIR/);
});

test('an invalid secret is not shown', () => {
  const issues = issuesOf({ ...enough, KEDJA_MAIL_PIN: 'topsecret' }).join();
  assert.match(issues, /KEDJA_MAIL_PIN must be a whole number/);
  assert.doesNotMatch(issues, /topsecret|hunter2/);
});

test('the environment takes precedence over a .env file', () => {
  const path = join(folder, '.env');
  writeFileSync(
    path,
    '# comment\nKEDJA_WEB_PORT=3\nexport KEDJA_WEB_LEVEL="high" # quoted\nKEDJA_WEB_URL=\'https://a#b\'\nPATH=/evil\nKEDJA_TYPO=1\n',
  );
  const environment = withEnvFile({ KEDJA_WEB_PORT: '4', PATH: '/bin' }, path);
  assert.equal(environment['KEDJA_WEB_PORT'], '4');
  assert.equal(environment['PATH'], '/bin');
  assert.equal(environment['KEDJA_WEB_LEVEL'], 'high');
  assert.equal(environment['KEDJA_WEB_URL'], 'https://a#b');
  assert.match(issuesOf({ ...environment, KEDJA_MAIL_PASSWORD: 'x' }).join(), /KEDJA_TYPO is not a known variable/);
  assert.deepEqual(withEnvFile({ A: 'b' }, join(folder, 'none.env')), { A: 'b' });
  assert.throws(() => withEnvFile({}, folder), /EISDIR/);
});
