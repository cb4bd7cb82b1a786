// The import of users: rules of the file as a whole, its lines, its header and its encoding (contract: identity, Admin;
// decision I13).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Secret } from '#lib/config/secret.ts';
import { startIdentity } from '#test/support/identity/identity.ts';
import { nextEmail } from '#test/support/identity/identity-people.ts';
import { findUser, HEADER, importRows, importUsers, nurse } from '#test/support/identity/user-csv.ts';

const identity = await startIdentity({ after }, { config: { importPassword: new Secret('a temporary phrase') } });
const userOf = (email: string) => findUser(identity, email);

test('lines are the physical ones: with quoted line breaks, blank lines and any line ends, behind a byte order mark', async () => {
  const [first, second] = [nextEmail(), nextEmail()];
  const columns = [...HEADER.split(',')].reverse();
  const document = [
    `\uFEFF${columns.join(',').toUpperCase()}\r`,
    `FALSKT,,,,nurse,"Berg\r\nSköld","Anna\nMaria",professional,${first}\n`,
    '\r\n,,,,,,,,\r\n',
    `,,,,nurse,Berg,Anna,robot,wrong@example.org\r\n`,
    `,,,,nurse,Öberg,'=Åsa,professional,${second}`,
  ].join('');
  const { body } = await importUsers(identity, document);
  assert.deepEqual([body.created, body.skipped], [2, 0]);
  assert.deepEqual(
    body.errors.map((issue: { line: number; email: string }) => [issue.line, issue.email]),
    [[7, 'wrong@example.org']],
  );
  assert.equal((await userOf(first))?.first_name, 'Anna\nMaria');
  assert.equal((await userOf(second))?.first_name, '=Åsa');
});

test('a quote that is never closed costs its own line alone', async () => {
  const [first, second] = [nextEmail(), nextEmail()];
  const rows = [`x@example.org,professional,"A,B,nurse,,,,`, nurse(first), nurse(second)];
  const { body } = await importRows(identity, rows);
  assert.equal(body.created, 2);
  assert.deepEqual(body.errors[0].line, 2);
  assert.match(body.errors[0].message, /not closed/);
});

const FILES: ReadonlyArray<readonly [string, string, readonly RegExp[]]> = [
  ['an empty file', '', [/the file is empty/]],
  ['no header', nurse('x@example.org'), [/the first line must be the header: email,user_type/]],
  ['other separators', `${HEADER.replaceAll(',', ';')}\n`, [/separated by commas, not by semicolons/]],
  ['a missing column', HEADER.replace(',groups', ''), [/column 'groups' is missing/]],
  [
    'several errors',
    `${HEADER.replace('last_name', 'surname')},email,`,
    [/'last_name' is missing/, /'surname' is not known/, /a column has no name/, /'email' is there more than once/],
  ],
];

for (const [name, document, messages] of FILES) {
  test(`a file's error: ${name}`, async () => {
    const { status, body } = await importUsers(identity, document);
    assert.deepEqual([status, body.error], [400, 'validation_error']);
    assert.equal(body.messages.length, messages.length, body.messages.join('; '));
    for (const [index, message] of messages.entries()) assert.match(body.messages[index], message);
  });
}

test('a file that is not UTF-8 is refused before a row counts, with the line', async () => {
  const email = nextEmail();
  const latin1 = Uint8Array.from(Buffer.from(`${HEADER}\n${nurse(email)}\nå@example.org,professional\n`, 'latin1'));
  const { status, body } = await importUsers(identity, latin1);
  assert.deepEqual([status, body.error], [400, 'validation_error']);
  assert.match(body.messages[0], /must be UTF-8 .* line 3 is not/);
  assert.equal(await userOf(email), undefined);
  const utf16 = Uint8Array.from(Buffer.from(`\uFEFF${HEADER}\n`, 'utf16le'));
  assert.match((await importUsers(identity, utf16)).body.messages[0], /must be UTF-8/);
});
