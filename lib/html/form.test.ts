// The parts of forms: every field is tied to its label, hint and error, and no password is ever put back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkboxField, errorSummary, radioField, textField } from './form.ts';
import { html } from './html.ts';
import { translator, waitText } from './messages.ts';

const OPTIONS = [
  { value: 'a', label: 'First' },
  { value: 'b"', label: 'Second' },
];

test('a field names its hint and its error, and is invalid only with one', () => {
  const field = { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email', value: '"x' } as const;
  const plain = textField(field).markup;
  assert.match(plain, /<label for="email">E-mail<\/label>/);
  assert.match(plain, /value="&quot;x"/);
  assert.doesNotMatch(plain, /aria-/);
  const wrong = textField({ ...field, hint: 'Yours', error: 'Not <one>' }).markup;
  assert.match(wrong, /aria-invalid="true" aria-describedby="email-hint email-error"/);
  assert.match(wrong, /id="email-hint">Yours</);
  assert.match(wrong, /id="email-error">Not &lt;one&gt;</);
});

test('a password that was typed is not put back', () => {
  const { markup } = textField({ name: 'p', label: 'P', type: 'password', autocomplete: 'off', value: 'secret' });
  assert.doesNotMatch(markup, /secret/);
});

test('the first option has the id of its field, so that the summary leads to it', () => {
  const field = { name: 'role', label: 'Role', options: OPTIONS, chosen: ['b"'], error: 'Choose.' };
  const radios = radioField(field).markup;
  assert.match(radios, /role="radiogroup" aria-required="true" aria-invalid="true" aria-describedby="role-error"/);
  assert.match(radios, /<input id="role" name="role" type="radio" value="a">/);
  assert.match(radios, /<input id="role-1" name="role" type="radio" value="b&quot;" checked>/);
  assert.match(
    checkboxField(field).markup,
    /<input id="role" name="role" type="checkbox" value="a" aria-invalid="true">/,
  );
});

test('the summary counts the fields and is not there without errors', () => {
  assert.equal(errorSummary('en', {}), undefined);
  assert.match(html`${errorSummary('en', { a: 'One.' })}`.markup, /One field needs.*<a href="#a">One\.<\/a>/);
  assert.match(html`${errorSummary('sv', { a: 'Ett.', b: 'Två.' })}`.markup, /2 fält behöver rättas/);
});

test('texts take their values, and a waiting time is written in words', () => {
  const text = translator({ some: { sv: 'Visar {n} av {total}', en: 'Showing {n} of {total}' } }, 'en');
  assert.equal(text('some', { n: 2, total: '$&' }), 'Showing 2 of $&');
  assert.equal(text('some'), 'Showing {n} of {total}');
  assert.deepEqual(
    [1, 59, 120, 121, 3600].map((seconds) => waitText(seconds, 'sv')),
    ['1 sekund', '59 sekunder', '120 sekunder', '3 minuter', '60 minuter'],
  );
});
