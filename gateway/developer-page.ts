// `/developer`, the page for those who call the services themselves: the API references, a token to try them with, and
// whether the services run. Who is signed in gets the console's page for them at the same address.
import { chooseLanguage, html, sendPage } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import type { ConsolePages } from './console/pages.ts';
import messages from './developer-page.messages.json' with { type: 'json' };
import { tokenHref } from './sign-in.ts';

const SERVICES = ['identity', 'dispatch', 'engine'] as const;

/** `publicUrl` is the public origin of the gateway. */
export function registerDeveloperPage(app: HttpApp, publicUrl: string, console: ConsolePages): void {
  app.get('/developer', { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const served = console.serve(request, reply);
    if (served !== undefined) return served;
    const parameters = new URLSearchParams(request.url.split('?')[1]);
    const language = chooseLanguage(parameters.get('lang'), request.headers['accept-language']);
    const text = translator(messages.page, language);
    const content = html`<h1>${text('title')}</h1>
<p>${text('lead')}</p>
<h2>${text('services')}</h2>
<div class="scroll" tabindex="0" role="region" aria-label="${text('services')}"><table><tbody>${SERVICES.map(
      (name) => html`<tr>
<th scope="row">${name}</th><td>${messages.services[name][language]}</td>
<td><a href="/${name}/docs/">${text('reference')}</a></td></tr>`,
    )}</tbody></table></div>
<ul class="ways"><li><a href="${tokenHref(publicUrl, language)}">${text('token')}</a></li>
<li><a href="/status?lang=${language}">${text('status')}</a></li>
<li><a href="/?lang=${language}">${text('start')}</a></li>
</ul>`;
    const otherLanguage = `/developer?lang=${other(language)}`;
    return sendPage(reply, renderLayout({ language, title: text('title'), content, otherLanguage, width: 'wide' }));
  });
}
