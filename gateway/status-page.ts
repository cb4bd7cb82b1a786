// The status page of the gateway, in Swedish and English: which services can be used, and why not. The same as JSON for
// who asks for that.
import type { FastifyReply } from 'fastify';
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { type Message, translator } from '#lib/html/messages.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import { readAccept, weightOf } from '#lib/http/response/accept.ts';
import { varyBy } from '#lib/http/response/vary.ts';
import startPage from './developer-page.messages.json' with { type: 'json' };
import type { ServiceStatus, ServiceStatuses } from './service-status.ts';
import messages from './status-page.messages.json' with { type: 'json' };

const PURPOSES: Readonly<Record<string, Message>> = startPage.services;
/** Readiness checks by their name. Another reason is shown as the node reported it, in English. */
const REASONS: Readonly<Record<string, Message>> = messages.reasons;

export function registerStatusPage(app: HttpApp, statuses: Pick<ServiceStatuses, 'read'>): void {
  app.get('/status', { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    varyBy(reply, 'Accept');
    if (wantsJson(request.headers.accept)) return sendJson(reply, await statuses.read());
    const parameters = new URLSearchParams(request.url.split('?')[1]);
    const language = chooseLanguage(parameters.get('lang'), request.headers['accept-language']);
    const content = renderContent(language, await statuses.read());
    const otherLanguage = `/status?lang=${other(language)}`;
    const title = messages.page.title[language];
    return sendPage(reply, renderLayout({ language, title, content, otherLanguage, width: 'wide' }));
  });
}

const JSON_TYPE = new Set(['application/json']);
const PAGE_TYPE = new Set(['text/html']);

/** Browsers prefer the page, and so does who does not say. */
function wantsJson(accept = ''): boolean {
  const ranges = readAccept(accept);
  return ranges.some(({ name }) => JSON_TYPE.has(name)) && weightOf(ranges, JSON_TYPE) > weightOf(ranges, PAGE_TYPE);
}

function sendJson(reply: FastifyReply, statuses: readonly ServiceStatus[]): FastifyReply {
  const services = statuses.map(({ name, state, readyNodes, nodes, reasons }) => ({
    name,
    state: state.replace('-', '_'),
    ready_nodes: readyNodes,
    nodes,
    reasons,
  }));
  const type = 'application/json; charset=utf-8';
  return reply.header('cache-control', 'no-store').type(type).send(JSON.stringify({ services }));
}

function renderContent(language: Language, statuses: readonly ServiceStatus[]): Markup {
  const text = translator(messages.page, language);
  const heads = (['service', 'purpose', 'state'] as const).map((key) => html`<th scope="col">${text(key)}</th>`);
  const isAllReady = statuses.every(({ state }) => state === 'ready');
  return html`<h1>${text('title')}</h1>
<p role="status">${text(isAllReady ? 'allReady' : 'notAllReady')}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${text('title')}"><table><thead><tr>${heads}</tr></thead><tbody>${statuses.map(
    (status) => html`<tr>
<th scope="row">${status.name}</th><td>${PURPOSES[status.name]?.[language]}</td><td>${stateText(status, language)}</td></tr>`,
  )}</tbody></table></div>
<ul class="ways"><li><a href="/status?lang=${language}">${text('again')}</a></li>
<li><a href="/?lang=${language}">${text('start')}</a></li></ul>`;
}

function stateText({ state, readyNodes, nodes, reasons }: ServiceStatus, language: Language): string {
  const text = translator(messages.page, language);
  switch (state) {
    case 'ready':
      return readyNodes < nodes ? text('someNodes', { ready: readyNodes, nodes }) : text('ready');
    case 'unreachable':
      return text('unreachable');
    case 'not-ready': {
      const described = new Set(reasons.map((reason) => reasonText(reason, language)));
      return described.size === 0 ? text('notReady') : `${text('notReady')}: ${[...described].join('; ')}`;
    }
    default:
      return state satisfies never;
  }
}

/** A reason is the check's name, a colon, and what it found. */
function reasonText(reason: string, language: Language): string {
  const [name = ''] = reason.split(':', 1);
  return Object.hasOwn(REASONS, name) ? (REASONS[name]?.[language] ?? reason) : reason;
}
