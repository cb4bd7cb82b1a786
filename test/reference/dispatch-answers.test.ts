// Runs the examples of the page on questions and on providers without a system over HTTP. It needs dispatch with one
// request that is pushed to one provider.
import { test } from 'node:test';
import { startDispatchContract } from '#test/support/dispatch/dispatch-contract.ts';
import { testReferencePage } from './page.ts';

const page = 'docs/reference/dispatch-answers.md';

interface AttachedForm {
  readonly form_attachment_guid: string;
}

test(`the examples of ${page} answer what the page shows`, async (t) => {
  const contract = await startDispatchContract(t);
  const { id, match, request, token } = await contract.pushed();
  const ROOT = await contract.app.listen({ host: '127.0.0.1', port: 0 });
  const callers = { PLANNER: 'anna', PROVIDER: 'provider' };
  const [form] = (await contract.ask(`GET /ServiceRequest/${id}/forms`)).body['data'] as AttachedForm[];
  const FORM = form?.form_attachment_guid ?? '';
  /** What the page of a form carries along. */
  const carried =
    (name: string, of = 'measures') =>
    async () => {
      const body = new URLSearchParams({ token, action: 'form', form: of, go: 'open' });
      const text = await (await fetch(`${ROOT}/receipt`, { method: 'POST', body })).text();
      return new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
    };
  await testReferencePage(t, {
    page,
    variables: {
      ROOT,
      DISPATCH: `${ROOT}/api/v1`,
      ...callers,
      REQUEST: id,
      REQUEST_GUID: request,
      MATCH: match,
      RECEIPT: token,
      FORM,
      FORMDRAFT: carried('draft', FORM),
      DRAFT: carried('draft'),
      VERSION: carried('version'),
    },
  });
});
