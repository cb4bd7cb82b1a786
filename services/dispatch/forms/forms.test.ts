// Attached forms and the catalogue over HTTP: order, doubles, races, and an unavailable plan service (decision D12).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { rawRequest } from '#test/support/raw-request.ts';
import { inPagesOfTwo, MIXED_NAMES, SWEDISH_NAMES } from '#test/support/swedish-names.ts';
import { fifty } from '#test/support/system/at-once.ts';
import { FORM, LIBRARY, makeDraft, OTHER_FORM } from '../testing/samples.ts';
import { makeSite } from '../testing/site.ts';

const site = await makeSite({ after });
const { call, world } = site;

interface Attached {
  readonly form_attachment_guid: string;
  readonly form_guid: string;
  readonly position: number;
}

async function attach(id: string, formGuid: string): Promise<Attached> {
  const answer = await call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: formGuid } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as unknown as Attached;
}

async function listed(id: string): Promise<Attached[]> {
  const answer = await call('GET', `ServiceRequest/${id}/forms`);
  assert.equal(answer.status, 200);
  return answer.body['data'] as Attached[];
}

function addForms(count: number): string[] {
  const known = world.resources.filter(({ resourceType }) => resourceType === 'Questionnaire').length;
  return Array.from({ length: count }, (_, index) => {
    const id = `019a0000-0000-7000-8000-0000000${String(known + index).padStart(5, '0')}`;
    world.resources.push({ resourceType: 'Questionnaire', id, status: 'active', title: `Form ${known + index}` });
    return id;
  });
}

test('forms are attached, listed in order, reordered and taken off; positions have no gaps', async () => {
  const id = await makeDraft(site);
  const first = await attach(id, FORM.id);
  assert.deepEqual(first, {
    form_attachment_guid: first.form_attachment_guid,
    form_guid: FORM.id,
    title: 'Breathing',
    position: 1,
    answered_by: 'provider',
    due: null,
  });
  const second = await attach(id, OTHER_FORM.id);
  const [more = ''] = addForms(1);
  const third = await attach(id, more);
  const order = [third, first, second].map((form) => form.form_attachment_guid);
  const reordered = await call('POST', `ServiceRequest/${id}/forms/reorder`, { body: { ordered_guids: order } });
  assert.equal(reordered.status, 200);
  assert.deepEqual(
    (reordered.body['data'] as Attached[]).map(({ form_attachment_guid: guid, position }) => [guid, position]),
    order.map((guid, index) => [guid, index + 1]),
  );
  const removed = await call('DELETE', `ServiceRequest/${id}/forms/${first.form_attachment_guid}`);
  assert.deepEqual([removed.status, removed.text], [204, '']);
  assert.deepEqual(
    (await listed(id)).map(({ form_guid: guid, position }) => [guid, position]),
    [
      [more, 1],
      [OTHER_FORM.id, 2],
    ],
  );
  assert.equal((await call('DELETE', `ServiceRequest/${id}/forms/${first.form_attachment_guid}`)).status, 404);
  assert.equal((await call('DELETE', `ServiceRequest/${id}/forms/no-guid`)).status, 404);
  const page = await call('GET', `ServiceRequest/${id}/forms?page=2&per_page=1`);
  assert.deepEqual([(page.body['data'] as Attached[])[0]?.form_guid, page.body['total']], [OTHER_FORM.id, 2]);
});

test('the same form twice is 409, an unknown one 422, a wrong body 400', async () => {
  const id = await makeDraft(site);
  await attach(id, FORM.id);
  const again = await call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: FORM.id } });
  assert.deepEqual([again.status, again.body['resourceType']], [409, 'OperationOutcome']);
  assert.equal((await call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: 'unknown' } })).status, 422);
  assert.equal((await call('POST', `ServiceRequest/${id}/forms`, { body: {} })).status, 400);
  assert.equal((await call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: 'x', more: 1 } })).status, 400);
  world.isPlanDown = true;
  const down = await call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: OTHER_FORM.id } });
  world.isPlanDown = false;
  assert.equal(down.status, 503);
  assert.equal((await listed(id)).length, 1);
});

test('an order that is no permutation is 400 with the issues', async () => {
  const id = await makeDraft(site);
  const one = (await attach(id, FORM.id)).form_attachment_guid;
  const two = (await attach(id, OTHER_FORM.id)).form_attachment_guid;
  const reorder = (guids: string[]) =>
    call('POST', `ServiceRequest/${id}/forms/reorder`, { body: { ordered_guids: guids } });
  for (const [guids, pattern] of [
    [[one], /leaves out/],
    [[one, two, two], /more than once/],
    [[one, two, 'other'], /not attached/],
    [[], /leaves out/],
  ] as const) {
    const answer = await reorder([...guids]);
    assert.equal(answer.status, 400);
    assert.match(answer.text, pattern);
  }
  assert.deepEqual(
    (await listed(id)).map((form) => form.form_attachment_guid),
    [one, two],
  );
});

test('of fifty concurrent attachments of one form one succeeds', async () => {
  const id = await makeDraft(site);
  const answers = await fifty(() => call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: FORM.id } }));
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 409).length, 49);
  assert.equal((await listed(id)).length, 1);
});

test('concurrent reordering and attaching leave no gap and no double', async () => {
  const id = await makeDraft(site);
  const one = (await attach(id, FORM.id)).form_attachment_guid;
  const two = (await attach(id, OTHER_FORM.id)).form_attachment_guid;
  const forms = addForms(25);
  const answers = await Promise.all([
    ...forms.map((form) => call('POST', `ServiceRequest/${id}/forms`, { body: { form_guid: form } })),
    ...Array.from({ length: 25 }, (_, index) =>
      call('POST', `ServiceRequest/${id}/forms/reorder`, {
        body: { ordered_guids: index % 2 ? [one, two] : [two, one] },
      }),
    ),
  ]);
  assert.ok(answers.slice(0, 25).every(({ status }) => status === 201));
  assert.ok(answers.slice(25).every(({ status }) => status === 200 || status === 400));
  const after27 = await call('GET', `ServiceRequest/${id}/forms?per_page=200`);
  assert.deepEqual(
    (after27.body['data'] as Attached[]).map(({ position }) => position),
    Array.from({ length: 27 }, (_, index) => index + 1),
  );
});

test('the catalogue is passed on: pages, and each form with its Questionnaire and render-ready JSON', async () => {
  const list = await call('GET', 'Form?per_page=2&page=1');
  assert.equal(list.status, 200);
  assert.deepEqual([list.body['page'], list.body['per_page'], list.body['stale']], [1, 2, false]);
  assert.match(String(list.headers['link']), /rel="next"/);
  const [item] = list.body['data'] as Record<string, unknown>[];
  assert.deepEqual(item, {
    form_guid: FORM.id,
    title: 'Breathing',
    version: '2',
    status: 'active',
    url: 'https://kedja.dev/forms/breath',
  });
  const form = await call('GET', `Form/${FORM.id}`);
  assert.equal(form.status, 200);
  const { questionnaire, render_ready: renderReady, as_of: asOf, ...rest } = form.body;
  assert.deepEqual(rest, { ...item, stale: false });
  assert.equal((questionnaire as { resourceType: string }).resourceType, 'Questionnaire');
  assert.equal((renderReady as { render_version: string }).render_version, '1.6');
  assert.equal(asOf, '2026-03-01T08:00:00.000Z');
  assert.deepEqual([(await call('GET', 'Form/none')).status, (await call('GET', 'Form/a b')).status], [404, 404]);
  assert.equal((await call('GET', 'Form?per_page=201')).status, 400);
  assert.equal((await call('GET', 'Form/none')).body['error'], 'not_found', 'outside FHIR');
});

test('the catalogue is in the order of Swedish, in pages too, and while the plan service is away', async () => {
  for (const [index, title] of MIXED_NAMES.entries()) {
    const id = `019a0000-0000-7000-8000-00000001000${index}`;
    world.resources.push({ resourceType: 'Questionnaire', id, status: 'active', title });
  }
  for (const isDown of [false, true]) {
    world.isPlanDown = isDown;
    const items = await inPagesOfTwo(async (query) => {
      const answer = await call('GET', `Form?${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body['data'] as { title: string }[];
    });
    const titles = items.map(({ title }) => title).filter((title) => SWEDISH_NAMES.includes(title));
    assert.deepEqual(titles, SWEDISH_NAMES);
  }
  world.isPlanDown = false;
});

test('while the plan service is away the last known catalogue is served, marked stale; what was never read is 503', async () => {
  await call('GET', `Form/${FORM.id}`);
  await call('GET', 'Form');
  world.isPlanDown = true;
  const list = await call('GET', 'Form');
  const form = await call('GET', `Form/${FORM.id}`);
  const unread = await call('GET', `Form/${OTHER_FORM.id}`);
  world.isPlanDown = false;
  assert.deepEqual([list.status, list.body['stale']], [200, true]);
  assert.ok((list.body['data'] as unknown[]).length > 2);
  assert.deepEqual([form.status, form.body['stale']], [200, true]);
  assert.deepEqual([unread.status, unread.body['error']], [503, 'upstream_unavailable']);
  assert.ok(unread.headers['retry-after']);
});

test('a form guid that would lead elsewhere at the plan service is no form, and the plan service is not asked', async () => {
  const origin = await site.app.listen({ host: '127.0.0.1', port: 0 });
  const before = world.asked.length;
  for (const guid of [
    '..',
    '.',
    '%2e%2e',
    '..%2FPlanDefinition',
    `${FORM.id}%3F_summary=true`,
    `${FORM.id}%23x`,
    '%00',
  ]) {
    const answer = await rawRequest(origin, `/api/v1/Form/${guid}`, { headers: { authorization: 'Bearer anna' } });
    assert.deepEqual([answer.status, JSON.parse(answer.text).error], [404, 'not_found'], guid);
  }
  const draft = await makeDraft(site);
  const attached = await call('POST', `ServiceRequest/${draft}/forms`, { body: { form_guid: '..' } });
  assert.equal(attached.status, 422);
  assert.deepEqual(
    world.asked.slice(before).filter((path) => path.startsWith('/Questionnaire')),
    [],
  );
});

test('a form that left the catalogue leaves the copy too', async () => {
  const [gone = ''] = addForms(1);
  assert.equal((await call('GET', `Form/${gone}`)).status, 200);
  world.resources.pop();
  assert.equal((await call('GET', `Form/${gone}`)).status, 404);
  const total = (await call('GET', 'Form')).body['total'];
  assert.equal(total, world.resources.filter(({ resourceType }) => resourceType === 'Questionnaire').length);
});

test('a catalogue that was never read is 503 while the plan service is away', async (t) => {
  const fresh = await makeSite({ after: (cleanUp) => t.after(cleanUp) });
  fresh.world.isPlanDown = true;
  const answer = await fresh.call('GET', 'Form');
  assert.deepEqual([answer.status, answer.body['error']], [503, 'upstream_unavailable']);
});

test('unusual forms are handled: very long titles, NUL characters, one listed twice, thousands of value sets', async () => {
  const id = (number: number) => `019a0000-0000-7000-8000-0000000f000${number}`;
  const item = [{ linkId: '1', type: 'coding', answerValueSet: 'https://kedja.dev/vs/odd' }];
  const valueSet = { resourceType: 'ValueSet', status: 'active' };
  const contained = Array.from({ length: 20_000 }, (_, index) => ({ ...valueSet, id: `valueset-${index}` }));
  const concept = [{ code: 'a' }];
  const odd = [
    { ...FORM, id: id(1), title: Array.from({ length: 9000 }, () => Math.random()).join() },
    { ...FORM, id: id(2), title: 'a\u0000b', version: '\u0000' },
    { ...FORM, id: id(3), contained, item },
  ];
  const [doubled = {}] = odd;
  world.resources.push(...odd, doubled, {
    ...valueSet,
    id: 'odd',
    url: 'https://kedja.dev/vs/odd',
    compose: { include: [{ system: LIBRARY, concept }] },
  });
  const catalogue = await call('GET', 'Form?per_page=200');
  assert.equal(catalogue.status, 200, catalogue.text.slice(0, 300));
  for (const { id: formGuid } of odd) {
    const form = await call('GET', `Form/${formGuid}`);
    assert.equal(form.status, 200, form.text.slice(0, 300));
  }
  const draft = await makeDraft(site);
  await attach(draft, id(3));
  const finalized = await call('POST', `ServiceRequest/${draft}/finalize`);
  // Thousands of unused ValueSets are for the validation to refuse, without a stack overflow.
  assert.ok([200, 422].includes(finalized.status), finalized.text.slice(0, 300));
  world.resources.splice(-4, 4);
});
