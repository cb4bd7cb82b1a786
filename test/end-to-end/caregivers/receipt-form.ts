// A provider without a system does its whole task at the page of the link (decision L8), through the public address. It
// reads who asks for what, accepts, fills in the form and the values, reads them through and sends them. The requester
// and the patient read them. And a patient who ends the consent while the nurse writes.
import assert from 'node:assert/strict';
import { eventually, type TestResponse } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Addresses, Story } from '../context.ts';
import { withPatient } from '../people.ts';
import { makeRequest, push, requestWithStatus } from '../request.ts';
import { filledFields, openReceipt, type Receipt, type ReceiptPage } from './receipt.ts';

export async function caregiverAnswersByLink(story: Story): Promise<void> {
  const { walk } = story;
  const { id, receipt } = await linkedRequest(story);
  const form = await walk('C2', () => readsWhatIsAsked(receipt));
  await walk('C4', () => reportsValues(story, receipt, id));
  await walk('C3', () => fillsInTheForm(story, receipt, { id, form }));
  const about = await withPatient(story, 'Frida');
  const other = await linkedRequest(about);
  await walk('B5', () => consentEndsMeanwhile(about, other.receipt, other.id));
}

/** A pushed request, and its page as the outside provider opens it. */
async function linkedRequest(story: Story) {
  const { addresses, accounts, library, secrets } = story;
  const { id, matches } = await makeRequest(story);
  await push(addresses, accounts, id, 202);
  const address = `${addresses.dispatch}/ServiceRequest/${id}/matches/${matches.get(library.outside)}/link`;
  const { link } = (await call(address, { method: 'POST', token: accounts.planner })).body;
  const receipt = openReceipt(String(link));
  secrets.add(receipt.token);
  return { id, receipt };
}

const formOf = ({ text }: ReceiptPage) => /name="form" value="([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';

/** Returns the guid of the form's attachment. */
async function readsWhatIsAsked(receipt: Receipt): Promise<string> {
  const open = await receipt.post({});
  assert.match(open.text, /Who asks.*Karin Lind.*karin\.lind@example\.org.*Vikt varje morgon/is);
  assert.match(open.text, /Vikt under 80 kg/, 'the goal');
  assert.match(open.text, /every day/, 'the timing');
  assert.match(open.text, /kilogram/, 'what to measure');
  assert.match(open.text, /Andning/, 'the form');
  assert.doesNotMatch(open.text, /Astrid|1990/, 'before acceptance a provider sees the least');
  const accepted = await receipt.post({ decision: 'accepted' });
  assert.match(accepted.text, /Astrid/);
  return formOf(accepted);
}

/** A value above the goal has to be confirmed. */
async function reportsValues({ addresses, accounts }: Story, receipt: Receipt, id: string): Promise<void> {
  const first = await receipt.openForm('measures');
  assert.match(first.text, /kilogram/);
  const wrong = await receipt.post({ ...filledFields(first.text), go: 'next', 'f-1-0': 'heavy' });
  assert.deepEqual([wrong.status, /value="heavy"/.test(wrong.text)], [400, true]);
  const review = await receipt.post({ ...filledFields(wrong.text), go: 'next', 'f-1-0': '81,50' });
  assert.match(review.text, /81[.,]50 kilogram/);
  const unconfirmed = await receipt.post({ ...filledFields(review.text), go: 'send' });
  assert.equal(unconfirmed.status, 400, 'an unusual value is confirmed first');
  const sent = await receipt.post({ ...filledFields(review.text), go: 'send', confirm: 'yes' });
  assert.equal(sent.status, 200, sent.text);
  for (const token of [accounts.planner, accounts.patient]) {
    const { text } = await resultOf(addresses, `Observation?based-on=ServiceRequest/${id}`, token);
    assert.match(text, /"value":81\.50/, 'the digits that were typed');
  }
}

/** What was sent by the page, when it has reached the engine. */
function resultOf({ engine }: Addresses, query: string, token: string): Promise<TestResponse> {
  return eventually('the answers were at the engine', async () => {
    const found = await call(`${engine}/${query}`, { token });
    return found.body.total === 1 ? found : undefined;
  });
}

async function fillsInTheForm(
  { addresses, accounts, library }: Story,
  receipt: Receipt,
  { id, form }: { readonly id: string; readonly form: string },
): Promise<void> {
  assert.ok(library.formGuid !== form, 'the attachment has a guid of its own');
  const first = await receipt.openForm(form);
  await receipt.post({ ...filledFields(first.text), go: 'save', 'f-0': 'o0' });
  const kept = await receipt.openForm(form);
  assert.match(kept.text, /value="o0" checked/, 'the draft was kept');
  const review = await receipt.post({ ...filledFields(kept.text), go: 'next', 'f-0': 'o0' });
  assert.match(review.text, /<h1>Check: /);
  const sending = { ...filledFields(review.text), go: 'send', final: 'yes' };
  const sent = await receipt.post(sending);
  assert.match(sent.text, /<h1>The answers are sent<\/h1>/);
  assert.equal((await receipt.post(sending)).status, 200, 'pressed twice');
  await requestWithStatus(addresses, accounts, id, 'completed');
  const query = `QuestionnaireResponse?based-on=ServiceRequest/${id}`;
  for (const token of [accounts.planner, accounts.patient]) {
    const { body } = await resultOf(addresses, query, token);
    assert.match(JSON.stringify(body.entry[0].resource.item), /valueCoding/);
    const seen = await call(`${addresses.dispatch}/ServiceRequest/${id}/matches`, { token });
    const results = seen.body.data.flatMap((each: { results?: string[] }) => each.results ?? []);
    assert.match(results.join(), /engine.*\/QuestionnaireResponse\//, 'as what a program reports');
  }
  const elsewhere = await call(`${addresses.engine}/${query}`, { token: accounts.stranger });
  assert.equal(elsewhere.body.total, 0, 'another organisation reads nothing');
}

/**
 * The form is hidden, what was being written is there again when the patient permits, and what was read through counts.
 */
async function consentEndsMeanwhile({ addresses, accounts }: Story, receipt: Receipt, id: string): Promise<void> {
  const form = formOf(await receipt.post({ decision: 'accepted' }));
  const first = await receipt.openForm(form);
  const own = `${addresses.dispatch}/own-consents`;
  const asPatient = { token: accounts.patient };
  const denial = (await call(own, { ...asPatient, json: { decision: 'deny' }, expect: 201 })).body.consent_guid;
  const hidden = await receipt.post({ ...filledFields(first.text), go: 'save', 'f-0': 'o0' });
  assert.doesNotMatch(hidden.text, /andningen|Astrid/, 'nothing is shown any more');
  assert.doesNotMatch((await receipt.post({})).text, /andningen/);
  await call(`${own}/${denial}/end`, { ...asPatient, method: 'POST' });
  const again = await receipt.openForm(form);
  assert.match(again.text, /value="o0" checked/, 'what was written is not lost');
  const review = await receipt.post({ ...filledFields(again.text), go: 'next', 'f-0': 'o0' });
  await call(own, { ...asPatient, json: { decision: 'deny' }, expect: 201 });
  const sent = await receipt.post({ ...filledFields(review.text), go: 'send', final: 'yes' });
  assert.equal(sent.status, 200, 'what was read through still counts');
  await resultOf(addresses, `QuestionnaireResponse?based-on=ServiceRequest/${id}`, accounts.patient);
}
