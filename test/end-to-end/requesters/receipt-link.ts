// The planner sends the link for a provider without a system by mail and as a QR code. The planner withdraws it and
// makes a new one (decision L8); and two who have opened one link.
import assert from 'node:assert/strict';
import { call } from '../call.ts';
import { filledFields, openReceipt } from '../caregivers/receipt.ts';
import type { Story } from '../context.ts';
import { makeRequest, push } from '../request.ts';

const RECIPIENT = 'hemma@example.org';

export async function linksAreSentAndEnded(story: Story): Promise<void> {
  const { addresses, accounts, library, walk } = story;
  const { id, matches } = await makeRequest(story);
  await push(addresses, accounts, id, 202);
  const url = `${addresses.dispatch}/ServiceRequest/${id}/matches/${matches.get(library.outside)}/link`;
  const sent = await walk('R6', () => isSentByMailAndAsQr(story, url));
  const renewed = await walk('R7', () => isWithdrawnAndRenewed(story, url, sent));
  await walk('B7', () => isOpenedByTwo(renewed));
  for (const link of [sent, renewed]) story.secrets.add(link.split('#')[1] ?? '');
}

async function isSentByMailAndAsQr({ accounts, mail }: Story, url: string): Promise<string> {
  const json = { email: RECIPIENT, language: 'sv', qr: true };
  const { body } = await call(url, { token: accounts.planner, json });
  assert.equal(body.is_mailed, true);
  assert.match(body.qr_svg, /^<svg /);
  const { subject, body: text } = await mail.mailTo(RECIPIENT);
  assert.match(subject, /Ett uppdrag till Distriktssköterskorna AB/);
  assert.ok(text.includes(body.link), 'the mail has the link');
  assert.doesNotMatch(text, /Hjärtsvikt|Kroppsvikt/, 'and nothing of the plan');
  assert.equal((await openReceipt(body.link).post({})).status, 200);
  return body.link;
}

async function isWithdrawnAndRenewed({ accounts }: Story, url: string, link: string): Promise<string> {
  const asPlanner = { token: accounts.planner };
  const state = async () => (await call(url, asPlanner)).body.state;
  assert.equal(await state(), 'works');
  await call(url, { ...asPlanner, method: 'DELETE', expect: 204 });
  assert.equal(await state(), 'withdrawn');
  const opened = openReceipt(link);
  assert.equal((await opened.post({})).status, 410);
  assert.equal((await opened.post({ decision: 'accepted' })).status, 410, 'it answers nothing any more');
  const [second, third] = [(await call(url, { ...asPlanner, json: {} })).body.link, await renew(url, accounts.planner)];
  assert.equal((await openReceipt(second).post({})).status, 410, 'a new link ends the one before');
  assert.equal((await openReceipt(third).post({})).status, 200);
  return third;
}

const renew = async (url: string, token: string): Promise<string> => (await call(url, { token, json: {} })).body.link;

/** Two colleagues have the page open: the decision counts once, and no draft is lost unseen. */
async function isOpenedByTwo(link: string): Promise<void> {
  const [one, two] = [openReceipt(link), openReceipt(link)];
  assert.equal((await one.post({ decision: 'accepted' })).status, 200);
  assert.equal((await two.post({ decision: 'accepted' })).status, 200, 'the same decision again');
  assert.equal((await two.post({ decision: 'rejected' })).status, 409, 'the opposite one');
  const form = /name="form" value="([0-9a-f-]{36})"/.exec((await one.post({})).text)?.[1] ?? '';
  const [first, second] = [await one.openForm(form), await two.openForm(form)];
  const saved = await one.post({ ...filledFields(first.text), go: 'save', 'f-0': 'o0' });
  assert.equal(saved.status, 200);
  const late = await two.post({ ...filledFields(second.text), go: 'save', 'f-0': 'o1' });
  assert.deepEqual([late.status, /value="o1" checked/.test(late.text)], [409, true], 'what was typed is still there');
  const open = await one.openForm(form);
  assert.match(open.text, /value="o0" checked/, 'what was saved stays');
  const done = { action: 'report', progress: 'completed', note: '', discard: 'yes' };
  assert.equal((await one.post(done)).status, 200);
}
