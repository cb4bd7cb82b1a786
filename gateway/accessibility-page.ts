// The statement of accessibility, in Swedish and English (Directive (EU) 2016/2102, article 7; in Sweden the act
// 2018:1937). It says what the pages conform to, how that is tested, what is lacking, and how to report an obstacle.
import { chooseLanguage, html, type Language, type Markup, sendPage } from '#lib/html/html.ts';
import { other, renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import type { HttpApp } from '#lib/http/http-app.ts';
import messages from './accessibility-page.messages.json' with { type: 'json' };

export const ACCESSIBILITY_PATH = '/accessibility';

/** `contact` is the mail address for reports of obstacles (`KEDJA_ACCESSIBILITY_CONTACT`). */
export function registerAccessibilityPage(app: HttpApp, contact: string | undefined): void {
  app.get(ACCESSIBILITY_PATH, { config: { permission: 'public' }, schema: { hide: true } }, async (request, reply) => {
    const parameters = new URLSearchParams(request.url.split('?')[1]);
    const language = chooseLanguage(parameters.get('lang'), request.headers['accept-language']);
    const content = renderContent(language, contact);
    const otherLanguage = `${ACCESSIBILITY_PATH}?lang=${other(language)}`;
    const title = messages.title[language];
    return sendPage(reply, renderLayout({ language, title, content, otherLanguage, width: 'wide' }));
  });
}

function renderContent(language: Language, contact: string | undefined): Markup {
  const text = translator(messages, language);
  return html`<h1>${text('title')}</h1>
<p>${text('aim')}</p>
<h2>${text('tested')}</h2>
<ul><li>${text('automatic')}</li><li>${text('keyboard')}</li></ul>
<h2>${text('known')}</h2>
<ul><li>${text('people')}</li><li>${text('documents')}</li></ul>
<h2>${text('report')}</h2>
<p>${contact === undefined ? text('noContact') : html`${text('contact')} <a href="mailto:${contact}">${contact}</a>`}</p>
<p>${text('supervision')}</p>
<ul class="ways"><li><a href="/?lang=${language}">${text('start')}</a></li></ul>`;
}
