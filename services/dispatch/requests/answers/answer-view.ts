// The HTML of forms that are filled in by receipt token (decision L8). It makes a page of a form, its summary before it
// is sent, and what is shown afterwards, in Swedish and English, without scripts.
import { alertText, hiddenField } from '#lib/html/form.ts';
import { html, type Language, type Markup, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import { momentOf } from '#lib/html/moment-text.ts';
import type { FormNotice, ShownForm } from './answer-service.ts';
import messages from './answer-view.messages.json' with { type: 'json' };

export interface FormPageModel {
  readonly language: Language;
  /** The IANA name of the time zone of the times on the page. */
  readonly timeZone: string;
  readonly token: string;
  readonly formKey: string;
  /** The address of the page. */
  readonly action: string;
  /** A script of the page; see `Page`. */
  readonly script: string;
}

const FORM_ID = 'form';

export function formPage(model: FormPageModel, view: ShownForm): Page {
  const { language, action, script } = model;
  const text = translator(messages, language);
  const isReview = view.shows === 'review';
  const title = isReview ? text('reviewTitle', { title: view.title }) : view.title;
  const hasErrors = view.hasErrors || (view.notice !== undefined && view.notice.kind !== 'saved');
  const content = html`${noticePart(view.notice, model)}<h1>${title}</h1>
<form id="${FORM_ID}" method="post" action="${action}" novalidate>${carried(model, view)}
${isReview ? reviewPart(view, language) : pagePart(view, model)}
</form>
${toRequest(model)}`;
  const otherLanguage = { formId: FORM_ID, enter: { name: 'go', value: isReview ? 'review' : 'save' } };
  return renderLayout({ language, title, content, otherLanguage, hasErrors, script });
}

/** The page after the answers were sent. */
export function sentPage(
  model: FormPageModel,
  { title, sentAt, isFinal }: { readonly title: string; readonly sentAt: Date; readonly isFinal: boolean },
): Page {
  const { language, token, action, script } = model;
  const text = translator(messages, language);
  const content = html`<h1>${text('sentTitle')}</h1>
<p>${text(isFinal ? 'sentFinal' : 'sent', { title, at: momentOf(sentAt, model) })}</p>
${toRequest(model)}`;
  const otherLanguage = { action, fields: html`${hiddenField('token', token)}` };
  return renderLayout({ language, title: text('sentTitle'), content, otherLanguage, script });
}

function carried({ token, formKey, language }: FormPageModel, view: ShownForm): Markup {
  return html`${hiddenField('lang', language)}${hiddenField('token', token)}${hiddenField('action', 'form')}${hiddenField('form', formKey)}${hiddenField('page', String(view.page))}${hiddenField('shows', view.shows)}${hiddenField('draft', view.draftGuid)}${hiddenField('version', String(view.version))}`;
}

function pagePart(view: ShownForm, model: FormPageModel): Markup {
  const text = translator(messages, model.language);
  const isLast = view.page === view.pages - 1;
  const saved =
    view.savedAt !== undefined &&
    html` <span class="hint">${text('savedAt', { at: momentOf(view.savedAt, model) })}</span>`;
  const refresh =
    view.hasConditions &&
    html`<p class="note">${text('conditions')}</p>
<p class="actions">${button('refresh', text('refresh'), 'quiet')}</p>`;
  const back = view.page > 0 && button('back', text('back'), 'quiet');
  const skip = view.hasErrors && button('skip', text('skip'), 'quiet');
  return html`<p class="actions saving">${button('save', text('save'), 'quiet')}${saved}</p>
${view.content}
${refresh}
<p class="actions">${button('next', text(isLast ? 'review' : 'next'))}${back}${skip}</p>`;
}

function reviewPart(view: ShownForm, language: Language): Markup {
  const text = translator(messages, language);
  const first = html`<p class="actions saving">${button('page:0', text('toForm'), 'quiet')}</p>`;
  if (view.errors > 0)
    return html`${first}<p class="alert">${text('mustCorrect')}</p>
${view.content}`;
  const { isConfirmed, isFinal } = view.ticked;
  const error = (kind: 'unconfirmed' | 'unsent') => (view.notice?.kind === kind ? text(kind) : undefined);
  const confirm =
    view.warnings > 0 && tick('confirm', text('confirm'), { isOn: isConfirmed, error: error('unconfirmed') });
  const unsent = error('unsent');
  const discard = unsent !== undefined && tick('discard', text('discard'), { isOn: false, error: unsent });
  return html`${first}<p>${text('readBefore')}</p>
${view.content}
${confirm}
${tick('final', text('final'), { isOn: isFinal, hint: text('finalHint') })}
${discard}
<p class="actions">${button('send', text('send'))}</p>`;
}

interface Tick {
  readonly isOn: boolean;
  readonly hint?: string;
  readonly error?: string | undefined;
}

function tick(name: string, label: string, { isOn, hint, error }: Tick): Markup {
  const described = error !== undefined && html` aria-invalid="true" aria-describedby="${`${name}-error`}"`;
  const wrong = error !== undefined && html`<span class="error" id="${`${name}-error`}">${error}</span>`;
  const said = hint !== undefined && html`<span class="hint">${hint}</span>`;
  return html`<div class="field">${wrong}<label class="option" for="${name}"><input id="${name}" name="${name}" type="checkbox" value="yes"${isOn && html` checked`}${described}>${label}</label>${said}</div>`;
}

function noticePart(notice: FormNotice | undefined, model: FormPageModel): Markup | undefined {
  const text = translator(messages, model.language);
  switch (notice?.kind) {
    case undefined:
      return undefined;
    case 'saved':
      return html`<p class="note" role="status">${text('isSaved')}</p>
`;
    case 'conflict':
      return html`${alertText(text('conflict', { at: momentOf(notice.savedAt, model) }))}${again(model, text('showSaved'))}`;
    case 'too-large':
      return alertText(text('tooLarge'));
    case 'unconfirmed':
    case 'unsent':
      return alertText(text(notice.kind));
    default:
      return notice satisfies never;
  }
}

/** Opens the form as it was saved. */
function again({ language, token, formKey, action }: FormPageModel, label: string): Markup {
  return html`<form method="post" action="${action}">${hiddenField('lang', language)}${hiddenField('token', token)}${hiddenField('action', 'form')}${hiddenField('form', formKey)}<p class="actions">${button('open', label, 'quiet')}</p></form>
`;
}

function toRequest({ language, token, action }: FormPageModel): Markup {
  const text = translator(messages, language);
  return html`<form method="post" action="${action}">${hiddenField('lang', language)}${hiddenField('token', token)}<p class="actions"><button class="link" type="submit">${text('toRequest')}</button></p></form>`;
}

function button(go: string, label: string, kind = ''): Markup {
  return html`<button class="${`button ${kind}`.trim()}" type="submit" name="go" value="${go}">${label}</button>`;
}
