// The API reference at /docs, rendered from the operations of /openapi.json. It has an overview, a page for each group
// of operations, and a page for each operation with a form that sends it. It is in English, as the document is. Without
// scripts it can be read, and shows how to make the call with curl.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../../errors.ts';
import { type Markup, sendPage } from '../../../html/html.ts';
import { renderLayout } from '../../../html/layout.ts';
import type { HttpApp } from '../../http-app.ts';
import type { ApiDocument, DocumentedOperation } from '../described-api.ts';
import { type Groups, renderGroup, renderOverview } from './lists.ts';
import { renderOperation } from './operation-page.ts';
import { TRY_IT } from './try-it.ts';

/** The pages are public; they hold no personal data. */
const OPTIONS = { config: { permission: 'public', caching: 'public' }, schema: { hide: true } } as const;

export function registerReferencePage(app: HttpApp, service: string, document: ApiDocument): void {
  const send = (reply: FastifyReply, title: string, content: Markup, isTriedOut = false) => {
    const layout = { language: 'en', title: `${title} – ${service}`, content, width: 'wide' } as const;
    const script = isTriedOut ? ({ script: TRY_IT, connects: true } as const) : {};
    return sendPage(reply, renderLayout({ ...layout, ...script, otherLanguage: undefined }));
  };
  app.get('/docs', OPTIONS, (request, reply) => reply.redirect(`${lastSegment(request)}/`));
  app.get('/docs/', OPTIONS, async (request, reply) => {
    const words = new URLSearchParams(request.url.split('?')[1]).get('q') ?? '';
    return send(reply, 'API reference', renderOverview(service, await groupsOf(document), words.slice(0, 100)));
  });
  app.get<{ Params: { group: string } }>('/docs/:group', OPTIONS, async (request, reply) => {
    const { group } = request.params;
    return send(reply, group, renderGroup(group, await requireGroup(document, group)));
  });
  app.get<{ Params: { group: string; id: string } }>('/docs/:group/:id', OPTIONS, async (request, reply) => {
    const { group, id } = request.params;
    const operations = await requireGroup(document, group);
    const operation = operations.find((each) => each.id === id);
    if (operation === undefined) throw notFound('Operation');
    const session = app.hasRoute({ method: 'GET', url: '/auth/login' });
    return send(reply, operation.summary, renderOperation(operation, { document, session }), true);
  });
}

/** The name below which the pages are, so that the redirect holds behind the gateway. */
function lastSegment({ url }: FastifyRequest): string {
  return (url.split('?')[0] ?? '').split('/').at(-1) ?? '';
}

async function groupsOf(document: ApiDocument): Promise<Groups> {
  return Map.groupBy(await document.operations(), ({ tag }) => tag);
}

async function requireGroup(document: ApiDocument, group: string): Promise<readonly DocumentedOperation[]> {
  const operations = (await groupsOf(document)).get(group);
  if (operations === undefined) throw notFound('Group of operations');
  return operations;
}
