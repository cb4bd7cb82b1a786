// Forms and measurements that a provider without a system fills in at the page of its link (decision L8;
// docs/adr/0079). The tests cover drafts, conflicts, errors, sending once, and what becomes of it when consent, link or
// request end meanwhile.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { FORM } from '#services/dispatch/testing/samples.ts';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { atOnce } from '#test/support/system/at-once.ts';
import { headingOf } from '../../testing/page-visits.ts';

const contract = await startDispatchContract({ after });
type Texts = Readonly<Record<string, string | readonly string[]>>;

async function post(fields: Texts) {
  const pairs = Object.entries(fields).flatMap(([name, texts]) => [texts].flat().map((text) => [name, String(text)]));
  const answer = await contract.app.inject({
    method: 'POST',
    url: '/receipt',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' },
    payload: new URLSearchParams(pairs).toString(),
  });
  return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
}

type Shown = Awaited<ReturnType<typeof post>>;

/** An accepted request, and how its forms are opened. */
async function accepted() {
  const pushed = await contract.pushed();
  const page = await post({ token: pushed.token, decision: 'accepted' });
  const [, form = ''] = /name="form" value="([0-9a-f-]{36})"/.exec(page.text) ?? [];
  const open = (key = form) => post({ token: pushed.token, action: 'form', form: key, go: 'open' });
  return { ...pushed, form, open, page };
}

/** Presses a button of the page with these fields typed. */
function press(shown: Shown, go: string, typed: Texts = {}) {
  const main = shown.text.slice(shown.text.indexOf('<form id="form"'));
  const carried: Record<string, string> = {};
  for (const [, name = '', value = ''] of main.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)">/g)) {
    carried[name] ??= value;
  }
  for (const [, name = '', value = ''] of main.matchAll(
    /<input class="text"[^>]* name="([^"]+)"[^>]* value="([^"]*)"/g,
  )) {
    carried[name] = value;
  }
  for (const [, name = '', value = ''] of main.matchAll(/name="([^"]+)" type="radio" value="([^"]*)" checked/g)) {
    carried[name] = value;
  }
  return post({ ...carried, go, ...typed });
}

const rowsOf = async (table: string, request: string) =>
  (
    await contract.database.query<{ n: number }>(`SELECT count(*)::int AS n FROM ${table} WHERE request_guid = $1`, [
      request,
    ])
  ).rows[0]?.n;

/** The resources of that type that the engine was sent about the request. */
function storedOf(type: string, id: string) {
  const texts = contract.world.results.filter((text) => text.includes(`ServiceRequest/${id}`));
  return texts
    .map((text): Record<string, unknown> => JSON.parse(text))
    .filter((resource) => resource['resourceType'] === type);
}

async function matchOf(id: string) {
  const { body } = await contract.ask(`GET /ServiceRequest/${id}/matches`);
  return (body['data'] as { progress: string; results?: string[] }[])[0];
}

/** The list of the request's results, as planner or patient read it. */
async function listed(id: string, as = 'anna') {
  const { body } = await contract.ask(`GET /ServiceRequest/${id}/results`, { as });
  return (body['data'] as { reporter: string; state: string }[]).map(({ reporter, state }) => [reporter, state]);
}

test('a form is filled in, checked, sent once, and stored at the engine with the status', async () => {
  const { open, id, request, token } = await accepted();
  const first = await open();
  assert.deepEqual([first.status, headingOf(first.text)], [200, 'Breathing']);
  assert.match(first.text, /Short of breath\?/);
  assert.doesNotMatch(first.text, /How much\?/, 'not asked yet');
  const more = await press(first, 'next', { 'f-0': ['', 'true'] });
  assert.match(more.text, /How much\?/, 'the answer asks for more');
  const review = await press(more, 'next', { 'f-0': ['', 'true'], 'f-1': ['', 'o1'] });
  assert.equal(headingOf(review.text), 'Kontrollera: Breathing');
  assert.match(review.text, /<dt>Short of breath\?<\/dt><dd>Ja<\/dd>.*<dt>How much\?/s);
  assert.deepEqual(storedOf('QuestionnaireResponse', id), [], 'nothing is stored before it is sent');
  const sent = await press(review, 'send');
  assert.equal(headingOf(sent.text), 'Svaren är skickade');
  const again = await press(review, 'send');
  assert.deepEqual([again.status, headingOf(again.text)], [200, 'Svaren är skickade'], 'pressed twice');
  const [response, ...others] = storedOf('QuestionnaireResponse', id);
  assert.deepEqual(others, []);
  assert.equal(response?.['questionnaire'], `${FORM.url}|2`);
  assert.deepEqual(response?.['basedOn'], [{ reference: `ServiceRequest/${id}` }]);
  assert.match(JSON.stringify(response?.['item']), /"valueBoolean":true.*"code":"much"/);
  const reference = `QuestionnaireResponse/${String(response?.['id'])}`;
  assert.match(JSON.stringify(response?.['meta']), /"provider-reported".*"provider-1"/);
  const [provenance] = storedOf('Provenance', id);
  assert.deepEqual(provenance?.['target'], [{ reference }]);
  assert.match(JSON.stringify(provenance), /Hemvården/);
  assert.deepEqual([await rowsOf('receipt_draft', request), await rowsOf('receipt_answer', request)], [0, 1]);
  assert.match((await post({ token })).text, /Skickat 1 mars 2026/);
  const results = [`https://engine.example.org/api/v1/${reference}`];
  const match = await matchOf(id);
  assert.deepEqual([match?.progress, match?.results], ['in_progress', results], 'as what a program reports');
});

test('an engine that is away loses no answer: it is sent, and follows', async () => {
  const { open, id } = await accepted();
  const review = await press(await open(), 'next', { 'f-0': ['', 'false'] });
  contract.world.isResultsDown = true;
  const sent = await press(review, 'send', { final: 'yes' });
  contract.world.isResultsDown = false;
  assert.equal(headingOf(sent.text), 'Svaren är skickade');
  assert.deepEqual([storedOf('QuestionnaireResponse', id).length, (await matchOf(id))?.results?.length], [0, 1]);
  assert.deepEqual(await listed(id), [['provider', 'pending']]);
  await press(review, 'send');
  assert.deepEqual(await listed(id, 'patient'), [['provider', 'stored']]);
  assert.equal(storedOf('QuestionnaireResponse', id).length, 1, 'pressed again, as the background loop does');
});

test('what is missing is named at its question, and nothing is lost by it', async () => {
  const { open } = await accepted();
  const first = await open();
  const wrong = await press(first, 'next');
  assert.equal(wrong.status, 400);
  assert.match(wrong.text, /<a href="#f-0">Short of breath\? Fyll i ett svar\.<\/a>/);
  assert.match(wrong.text, /id="f-0-error"/);
  const skipped = await press(wrong, 'skip');
  assert.match(skipped.text, /Några svar måste rättas/);
  assert.doesNotMatch(skipped.text, /value="send"/, 'it cannot be sent');
  const forced = await press(skipped, 'send');
  assert.match(forced.text, /Några svar måste rättas/);
});

test('measurements have their unit, keep their decimals, and become Observations that may end the task', async () => {
  const { id, page, open } = await accepted();
  assert.match(page.text, /<dt>Att mäta<\/dt><dd>Weight \(kilogram\), varje dag, ska mätas<\/dd>/);
  const first = await open('measures');
  assert.match(first.text, /Weight \(kilogram\)/);
  const wrong = await press(first, 'next', { 'f-1-0': 'heavy' });
  assert.match(wrong.text, /Weight: Skriv ett tal/);
  assert.match(wrong.text, /value="heavy"/);
  const review = await press(wrong, 'next', { 'f-0': '2026-02-28', 'f-0.time': '07.30', 'f-1-0': '80,50' });
  assert.match(review.text, /80,50 kilogram/);
  const sent = await press(review, 'send', { final: 'yes' });
  assert.match(sent.text, /uppdraget är slutfört/);
  const sentText = contract.world.results.find((each) => each.includes(`ServiceRequest/${id}`));
  assert.match(sentText ?? '', /"value":80\.50/, 'the digits that were typed');
  const [observation] = storedOf('Observation', id);
  assert.equal(observation?.['effectiveDateTime'], '2026-02-28T07:30:00+01:00');
  assert.match(JSON.stringify(observation?.['valueQuantity']), /"code":"kg"/);
  const { body } = await contract.ask(`GET /ServiceRequest/${id}`);
  assert.equal(body['status'], 'completed');
});

test('who opens the link again reads what was sent, in either language, also when the work is done', async () => {
  const { id, token, open } = await accepted();
  assert.doesNotMatch((await post({ token })).text, /Det ni har rapporterat/, 'nothing was reported yet');
  const more = await press(await open(), 'next', { 'f-0': ['', 'true'] });
  await press(await press(more, 'next', { 'f-0': ['', 'true'], 'f-1': ['', 'o1'] }), 'send');
  const { rows } = await contract.database.query<{ sealed: Buffer }>(
    'SELECT answers_sealed AS sealed FROM receipt_answer',
  );
  for (const { sealed } of rows) assert.doesNotMatch(sealed.toString('latin1'), /Short of breath/, 'it is sealed');
  const begun = (await post({ token })).text;
  assert.match(begun, /<h2 id="sent">Det ni har rapporterat<\/h2>.*<dd>Pågår, 1 mars 2026.*<h3>Breathing<\/h3>/s);
  const measured = await press(await open('measures'), 'next', {
    'f-0': '2026-02-28',
    'f-0.time': '07.30',
    'f-1-0': '80,50',
  });
  await press(measured, 'send');
  await post({ token, action: 'report', progress: 'completed', note: 'Allt gick <b>bra</b>\nHälsningar' });
  const done = (await post({ token })).text;
  assert.equal(headingOf(done), 'Uppdraget är slutfört');
  assert.match(
    done,
    /<dd>Slutfört, 1 mars 2026[^<]*<\/dd><dt>Meddelande till beställaren<\/dt><dd>Allt gick &lt;b&gt;bra&lt;\/b&gt;<br>Hälsningar<\/dd>/,
  );
  assert.match(
    done,
    /<h3>Breathing<\/h3>\s*<p class="hint">Skickat 1 mars 2026[^<]*<\/p>\s*<dl><dt>Short of breath\?<\/dt><dd>Ja<\/dd>/,
  );
  assert.match(done, /80,50 kilogram/);
  assert.doesNotMatch(done, /value="page:|eget system/);
  const english = (await post({ token, lang: 'en' })).text;
  assert.match(
    english,
    /What you have reported.*Completed, 1 March 2026.*<dt>Short of breath\?<\/dt><dd>Yes<\/dd>.*80\.50 kilogram/s,
  );
  const deny = { resourceType: 'Consent', id: 'consent-1', status: 'active', subject: { reference: 'Patient/p1' } };
  await contract.ask('PUT /Consent/consent-1', { body: { ...deny, decision: 'deny' } });
  assert.doesNotMatch((await post({ token })).text, /80,50|Short of breath/, 'nothing is shown without consent');
  await contract.ask('PUT /Consent/consent-1', { body: { ...deny, decision: 'permit' } });
  await contract.database.query("UPDATE receipt_answer SET answers_sealed = NULL, results = '{}'");
  const earlier = (await post({ token })).text;
  assert.match(earlier, /Svaren finns hos beställaren/);
  assert.match(earlier, /<dt>Värden och formulärsvar från ert eget system<\/dt><dd>2<\/dd>/);
  assert.equal(storedOf('QuestionnaireResponse', id).length, 1);
});

test('two people with one link: the later save of an older draft is reported, and keeps what was typed', async () => {
  const { open, request } = await accepted();
  const [one, two] = [await open(), await open()];
  const saved = await press(one, 'save', { 'f-0': ['', 'true'] });
  assert.match(saved.text, /Utkastet är sparat/);
  const late = await press(two, 'save', { 'f-0': ['', 'false'] });
  assert.equal(late.status, 409);
  assert.match(late.text, /Någon annan har sparat formuläret/);
  assert.match(late.text, /value="false" checked/, 'what was typed is still there');
  const kept = await open();
  assert.match(kept.text, /value="true" checked/, 'what was saved stands');
  const own = await press(late, 'save', { 'f-0': ['', 'false'] });
  assert.match(own.text, /Utkastet är sparat/);
  assert.match((await open()).text, /value="false" checked/);
  assert.equal(await rowsOf('receipt_draft', request), 1);
});

test('of ten saves and ten sendings in the same moment one draft and one response remain', async () => {
  const { open, id, request } = await accepted();
  const first = await open();
  const saves = await atOnce(Array.from({ length: 10 }, () => () => press(first, 'save', { 'f-0': ['', 'false'] })));
  assert.deepEqual(saves.map(({ status }) => status).sort(), [200, ...Array(9).fill(409)]);
  const review = await press(await open(), 'next', { 'f-0': ['', 'false'] });
  const sends = await atOnce(Array.from({ length: 10 }, () => () => press(review, 'send')));
  assert.deepEqual([...new Set(sends.map(({ text }) => headingOf(text)))], ['Svaren är skickade']);
  assert.equal(storedOf('QuestionnaireResponse', id).length, 1);
  assert.deepEqual([await rowsOf('receipt_draft', request), await rowsOf('receipt_answer', request)], [0, 1]);
});

test('drafts are sealed; they go when the request ends or is not touched, and their end is asked about', async () => {
  const { open, request, token } = await accepted();
  const first = await open('measures');
  await press(first, 'save', { 'f-1-0': '81.25' });
  const { rows } = await contract.database.query<{ fields_sealed: Buffer }>(
    'SELECT fields_sealed FROM receipt_draft WHERE request_guid = $1',
    [request],
  );
  assert.ok(!rows[0]?.fields_sealed.toString('latin1').includes('81.25'));
  const asked = await post({ token, action: 'report', progress: 'completed', note: '' });
  assert.equal(asked.status, 400);
  assert.match(asked.text, /Skicka utkastet först/);
  const done = await post({ token, action: 'report', progress: 'completed', note: '', discard: 'yes' });
  assert.equal(headingOf(done.text), 'Uppdraget är slutfört');
  const late = await press(first, 'next', { 'f-1-0': '82' });
  assert.match(late.text, /Ert svar kom inte med/);
});

test('work is not completed with a form while another one has a draft, unless that may be deleted', async () => {
  const { open, id, request } = await accepted();
  await press(await open('measures'), 'save', { 'f-1-0': '81.25' });
  const review = await press(await open(), 'next', { 'f-0': ['', 'false'] });
  const asked = await press(review, 'send', { final: 'yes' });
  assert.equal(asked.status, 400);
  assert.match(asked.text, /Ett annat formulär har ett utkast som inte är skickat/);
  assert.match(asked.text, /name="final"[^>]* checked/, 'what was ticked is still ticked');
  assert.equal(storedOf('QuestionnaireResponse', id).length, 0, 'nothing is sent');
  assert.equal(await rowsOf('receipt_draft', request), 2, 'nothing is lost');
  const unfinished = await press(asked, 'send', { final: '' });
  assert.equal(headingOf(unfinished.text), 'Svaren är skickade', 'the work goes on');
  assert.equal(await rowsOf('receipt_draft', request), 1);
  const again = await press(await press(await open(), 'next', { 'f-0': ['', 'true'] }), 'send', { final: 'yes' });
  const done = await press(again, 'send', { final: 'yes', discard: 'yes' });
  assert.match(done.text, /uppdraget är slutfört/);
});

test('consent that ends meanwhile hides the form, keeps what was typed, and lets what was read through be sent', async () => {
  const { open, id } = await accepted();
  const first = await open();
  const review = await press(first, 'next', { 'f-0': ['', 'false'] });
  const subject = { reference: 'Patient/p1' };
  const deny = { resourceType: 'Consent', id: 'consent-1', status: 'active', subject, decision: 'deny' };
  await contract.ask('PUT /Consent/consent-1', { body: deny });
  const hidden = await open();
  assert.match(hidden.text, /Uppgifterna visas inte/);
  assert.match(hidden.text, /Ert utkast är kvar/);
  assert.doesNotMatch(hidden.text, /Short of breath/);
  const sent = await press(review, 'send');
  assert.equal(headingOf(sent.text), 'Svaren är skickade');
  assert.equal(storedOf('QuestionnaireResponse', id).length, 1);
});

test('a link that is unknown, a form of another request and a request that is not accepted show no form', async () => {
  const { form } = await accepted();
  const unknown = await post({ token: 'A'.repeat(43), action: 'form', form, go: 'open' });
  assert.equal(unknown.status, 404);
  const other = await contract.pushed();
  const early = await post({ token: other.token, action: 'form', form: 'measures', go: 'open' });
  assert.deepEqual([early.status, /f-1-0/.test(early.text)], [409, false]);
  const { token } = await accepted();
  assert.equal((await post({ token, action: 'form', form, go: 'open' })).status, 409, 'a form of another request');
});
