// A provider without a system does its whole task at the page of the link, through the public address. It reads what is
// asked, accepts, fills in the form, reads it through and sends it. The requester and the patient read the answers.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from './call.ts';
import type { Scenario } from './context.ts';
import { match, push, requestWithStatus, writeRequest } from './request.ts';

/** Returns the token of the link, which no log may hold. */
export async function caregiverAnswersByLink({ addresses, accounts, library }: Scenario): Promise<string> {
  const { dispatch, engine } = addresses;
  const request = await writeRequest(addresses, accounts, library);
  const matches = await match(addresses, accounts, request.id);
  await push(addresses, accounts, request.id, 202);
  const address = `${dispatch}/ServiceRequest/${request.id}/matches/${matches.get(library.outside)}/link`;
  const { link } = (await call(address, { method: 'POST', token: accounts.planner })).body;
  const [page = '', token = ''] = String(link).split('#');
  const post = async (fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams({ token, lang: 'en', ...fields });
    const answer = await fetch(page, { method: 'POST', body, headers: { accept: 'text/html' } });
    return { status: answer.status, text: await answer.text() };
  };
  const open = await post({});
  assert.match(open.text, /Who asks.*Karin Lind.*Vikt varje morgon/s);
  assert.doesNotMatch(open.text, /Astrid|1990/, 'before acceptance a provider sees the least');
  const accepted = await post({ decision: 'accepted' });
  assert.match(accepted.text, /Astrid/);
  const form = /name="form" value="([0-9a-f-]{36})"/.exec(accepted.text)?.[1] ?? '';
  const first = await post({ action: 'form', form, go: 'open' });
  const carried = (text: string) => ({
    action: 'form',
    form,
    draft: /name="draft" value="([^"]+)"/.exec(text)?.[1] ?? '',
    version: /name="version" value="(\d+)"/.exec(text)?.[1] ?? '',
    shows: /name="shows" value="(\w+)"/.exec(text)?.[1] ?? '',
  });
  const review = await post({ ...carried(first.text), go: 'next', 'f-0': 'o0' });
  assert.match(review.text, /<h1>Check: /);
  const sending = { ...carried(review.text), go: 'send', final: 'yes' };
  const sent = await post(sending);
  assert.match(sent.text, /<h1>The answers are sent<\/h1>/);
  assert.equal((await post(sending)).status, 200, 'pressed twice');
  await requestWithStatus(addresses, accounts, request.id, 'completed');
  const query = `${engine}/QuestionnaireResponse?based-on=ServiceRequest/${request.id}`;
  for (const reader of [accounts.planner, accounts.patient]) {
    const found = await eventually('the answers were at the engine', async () => {
      const { body } = await call(query, { token: reader });
      return body.total === 1 ? body : undefined;
    });
    assert.match(JSON.stringify(found.entry[0].resource.item), /valueCoding/);
    const seen = await call(`${dispatch}/ServiceRequest/${request.id}/matches`, { token: reader });
    const results = seen.body.data.flatMap((each: { results?: string[] }) => each.results ?? []);
    assert.match(results.join(), /engine.*\/QuestionnaireResponse\//, 'as what a program reports');
  }
  assert.equal((await call(query, { token: accounts.stranger })).body.total, 0, 'another organisation reads nothing');
  return token;
}
