// Requests to the receipt page, as a browser without scripts sends them.
import assert from 'node:assert/strict';
import { newGuid } from '#lib/guid.ts';
import type { SendingBench } from './sending-bench.ts';

export interface Linked {
  readonly id: string;
  readonly patientGuid: string;
  readonly tokens: readonly string[];
  readonly links: readonly string[];
}

/** The heading of a page, without the markup. */
export const headingOf = (page: string) => /<h1>(.*?)<\/h1>/.exec(page)?.[1];

/** Matches what identifies the patients of the bench. */
export const PATIENT = /Öberg|1950-01-02/;

export function pageVisits({ app, call, matches, request }: SendingBench) {
  return {
    /** A pushed request and the link that the requester hands over. */
    async linked(providers: number, options: object = {}): Promise<Linked> {
      const { id, patientGuid } = await request(Array.from({ length: providers }, () => newGuid()));
      await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/push`, options);
      const links: string[] = [];
      for (const { matchGuid } of await matches(id)) {
        const answer = await call('planner', 'POST', `/api/v1/ServiceRequest/${id}/matches/${matchGuid}/link`);
        assert.equal(answer.status, 200, JSON.stringify(answer.body));
        links.push(String(answer.body.link));
      }
      return { id, patientGuid, links, tokens: links.map((link) => link.split('#')[1] ?? '') };
    },
    /** Sends the page's form. */
    async post(fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) {
      const answer = await app.inject({
        method: 'POST',
        url: '/receipt',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
        payload: new URLSearchParams(fields).toString(),
      });
      return { status: answer.statusCode, headers: answer.headers, text: answer.payload };
    },
  };
}
