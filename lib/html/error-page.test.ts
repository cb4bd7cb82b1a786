// What a person reads when a page is refused: the reason in words, and that we failed only where we did.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { ERROR_CODES, isErrorCode, ServiceError } from '../errors.ts';
import { sendErrorPage } from './error-page.ts';

const app = fastify();
app.route<{ Params: { code: string } }>({
  method: ['GET', 'POST'],
  url: '/:code',
  handler: async (request, reply) => {
    const { code } = request.params;
    assert.ok(isErrorCode(code));
    return sendErrorPage(new ServiceError(code, 'x'), reply.code(ERROR_CODES[code].status));
  },
});

const page = async (code: string, lang: string) => (await app.inject(`/${code}?lang=${lang}`)).body;

/** Of the calls between services, which no person makes. */
const OURS = ['invalid_service_credentials', 'internal_error', 'upstream_error'];

test('a page says that the error is ours only where it is', async () => {
  for (const code of Object.keys(ERROR_CODES)) {
    assert.equal((await page(code, 'en')).includes('The error is ours'), OURS.includes(code), code);
    assert.equal((await page(code, 'sv')).includes('Felet ligger hos oss'), OURS.includes(code), code);
  }
});

test('what may pass can be tried again at the same address; a form is not sent twice', async () => {
  for (const code of ['unavailable', 'rate_limited', 'internal_error'])
    assert.match(await page(code, 'sv'), /<a class="button" href="\?lang=sv">Försök igen<\/a>/, code);
  for (const code of ['forbidden', 'not_found', 'expired'])
    assert.ok(!(await page(code, 'sv')).includes('Försök igen<'));
  const posted = await app.inject({ method: 'POST', url: '/unavailable?lang=en' });
  assert.match(posted.body, /The service is busy/);
  assert.ok(!posted.body.includes('Try again</a>'));
});

test('what is closed, was overtaken or has ended is named as that', async () => {
  assert.match(await page('forbidden', 'sv'), /<h1>Det här är inte öppet för dig<\/h1>/);
  assert.match(await page('conflict', 'sv'), /<h1>Något har ändrats<\/h1>/);
  assert.match(await page('expired', 'en'), /<h1>This is no longer valid<\/h1>/);
  assert.match(await page('unauthorized', 'en'), /<h1>You need to sign in again<\/h1>/);
});

test('who has gone astray is led to the start page', async () => {
  for (const code of ['method_not_allowed', 'not_found', 'invalid_redirect'])
    assert.match(await page(code, 'sv'), /<a class="button" href="\/">Till startsidan<\/a>/, code);
  assert.match(await page('method_not_allowed', 'en'), /<h1>This page cannot be opened like this<\/h1>/);
  assert.ok(!(await page('forbidden', 'sv')).includes('Till startsidan'));
});
