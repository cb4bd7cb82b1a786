// The planner is notified of what needs them (decision L6): a list with read marks, a stream, and a digest by mail.
import assert from 'node:assert/strict';
import { eventually } from '#test/support/http.ts';
import { call } from '../call.ts';
import type { Story } from '../context.ts';
import { arrivalOf, makeRequest, pushTo } from '../request.ts';

export async function plannerIsNotified(story: Story): Promise<void> {
  const { library, walk } = story;
  const request = await makeRequest(story);
  const { id } = request;
  const guid = await pushTo(library.outside, story, request);
  await walk('R4', () => streamBringsTheQuestion(story, { id, guid }));
  await walk('R3', () => listShowsWhatIsUnread(story, { id, guid }));
  await walk('R5', () => digestIsSwitchedOn(story));
}

interface Pushed {
  readonly id: string;
  readonly guid: string;
}

/** The stream begins behind the list, and the provider asks while it is open. */
async function streamBringsTheQuestion({ addresses, accounts, library }: Story, { id, guid }: Pushed): Promise<void> {
  const { dispatch } = addresses;
  const { cursor } = (await call(`${dispatch}/notifications`, { token: accounts.planner })).body;
  const abort = new AbortController();
  const headers = { authorization: `Bearer ${accounts.planner}`, 'last-event-id': cursor };
  const stream = await fetch(`${dispatch}/notifications/stream`, { headers, signal: abort.signal });
  assert.match(stream.headers.get('content-type') ?? '', /^text\/event-stream/);
  const question = { question: 'Vilken våning?' };
  await call(`${dispatch}/requests/${guid}/questions`, { apiKey: library.outsideKey, json: question, expect: 201 });
  let text = '';
  for await (const chunk of (stream.body ?? new ReadableStream<never>()).pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(id)) break;
  }
  abort.abort();
  assert.match(text, /event: notification\ndata: \{.*"kind":"question_asked"/);
  assert.doesNotMatch(text, /Vilken våning/, 'a notification quotes nothing');
}

async function listShowsWhatIsUnread({ addresses, accounts, library }: Story, { id, guid }: Pushed): Promise<void> {
  const { dispatch } = addresses;
  const asPlanner = { token: accounts.planner };
  const unread = async (token: string): Promise<Record<string, string>[]> =>
    (await call(`${dispatch}/notifications?unread=true&service_request_id=${id}`, { token })).body.data;
  const [asked] = await unread(accounts.planner);
  assert.equal(asked?.['kind'], 'question_asked');
  assert.deepEqual(await unread(accounts.admin), [], 'it is addressed to the planner');
  const [question] = (await call(`${dispatch}/ServiceRequest/${id}/questions?answered=false`, asPlanner)).body.data;
  const answer = `${dispatch}/ServiceRequest/${id}/questions/${question.question_guid}/answer`;
  await call(answer, { ...asPlanner, json: { answer: 'Tredje' } });
  const read = await call(`${dispatch}/notifications/${asked?.['notification_guid']}/read`, {
    ...asPlanner,
    method: 'POST',
  });
  assert.ok(read.body.read_at);
  assert.deepEqual(await unread(accounts.planner), []);
  const { event } = await arrivalOf(addresses, 'request.dispatched', guid);
  await call(event.data.respond_url, { json: { decision: 'accepted' } });
  const json = { status: 'completed' };
  await call(`${dispatch}/requests/${guid}/status`, { method: 'PUT', apiKey: library.outsideKey, json });
  await eventually('the planner was notified of acceptance and end', async () => {
    const kinds = (await unread(accounts.planner)).map(({ kind }) => kind);
    return kinds.includes('request_accepted') && kinds.includes('request_completed') ? true : undefined;
  });
}

/** The mail itself goes out at the full hour: services/dispatch/notifications/digest/digest.test.ts. */
async function digestIsSwitchedOn({ addresses, accounts }: Story): Promise<void> {
  const settings = `${addresses.dispatch}/notifications/settings`;
  const asPlanner = { token: accounts.planner };
  const off = (await call(settings, asPlanner)).body;
  assert.deepEqual([off.digest, off.is_available], ['off', true]);
  await call(settings, { ...asPlanner, method: 'PUT', json: { digest: 'hourly', language: 'sv' } });
  assert.equal((await call(settings, asPlanner)).body.digest, 'hourly');
  await call(settings, { ...asPlanner, method: 'PUT', json: off });
}
