// Settings in the reader's language: what each means and what holds without a value.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inWords } from './words.ts';

const of = (name: string, unset: string | null) => ({ name, section: 'Mail', meaning: 'English', when_unset: unset });

test('what holds without a value is in Swedish, or marked as English', async () => {
  const given = [of('KEDJA_SMTP_URL', 'no mail is sent'), of('KEDJA_NEW', 'nothing'), of('KEDJA_MAIL_FROM', null)];
  assert.deepEqual(
    (await inWords(given, 'sv')).map(({ when_unset: text, unsetLanguage }) => [text, unsetLanguage]),
    [
      ['ingen e-post skickas, och sidorna erbjuder inte det som behöver den', 'sv'],
      ['nothing', 'en'],
      [null, 'en'],
    ],
  );
  assert.deepEqual(
    (await inWords(given, 'en')).map(({ when_unset: text, unsetLanguage }) => [text, unsetLanguage]),
    [
      ['no mail is sent', 'en'],
      ['nothing', 'en'],
      [null, 'en'],
    ],
  );
});
