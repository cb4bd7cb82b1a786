// The layout of every page: a header with the name and a language switch, and the content.
import { html, type Language, type Markup, type Page } from './html.ts';
import messages from './layout.messages.json' with { type: 'json' };
import { translator } from './messages.ts';
import { PAGE_STYLE } from './style.ts';

export interface PageLayout {
  readonly language: Language;
  readonly title: string;
  readonly content: Markup;
  /**
   * The address of the same page in the other language. For a form it is the hidden fields of one that asks for the
   * page again, or the id of the page's own form. What was typed is kept then. With the id is the name of the button
   * that Enter presses: the browser takes the first, and that would be this one. Undefined for a page in one language.
   */
  readonly otherLanguage:
    | string
    | { readonly action: string; readonly fields: Markup }
    | { readonly formId: string; readonly enter: { readonly name: string; readonly value: string } }
    | undefined;
  /** Whether the page shows errors. Its title says so, because screen readers read that first. */
  readonly hasErrors?: boolean | undefined;
  /** A card for a form or a message, or the whole width. */
  readonly width?: 'card' | 'wide';
  /** See `Page`. */
  readonly formTargets?: readonly string[] | undefined;
  readonly script?: string | undefined;
  readonly connects?: true;
}

/** Two links of a chain. */
const MARK = html`<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-width="3" aria-hidden="true" focusable="false"><rect x="2" y="10" width="17" height="12" rx="6"></rect><rect x="13" y="10" width="17" height="12" rx="6"></rect></svg>`;

export function other(language: Language): Language {
  return language === 'sv' ? 'en' : 'sv';
}

/** The page with the frame around the content. */
export function renderLayout(layout: PageLayout): Page {
  const {
    language,
    title,
    content,
    otherLanguage,
    hasErrors = false,
    width = 'card',
    formTargets,
    script,
    connects,
  } = layout;
  const text = translator(messages, language);
  const [to, main] = [other(language), width === 'wide' ? html`<main class="wide">` : html`<main>`];
  const navigation =
    otherLanguage === undefined
      ? undefined
      : html`<nav aria-label="${text('languages')}">${toOther(otherLanguage, to, text('other'))}</nav>`;
  return {
    language,
    title: `${hasErrors ? text('error') : ''}${title === 'Kedja' ? title : `${title} – Kedja`}`,
    style: PAGE_STYLE,
    body: html`<header class="bar"><p class="brand">${MARK}Kedja</p>${navigation}</header>
${main}
${content}
</main>`,
    ...(formTargets === undefined ? {} : { formTargets }),
    ...(script === undefined ? {} : { script }),
    ...(connects === undefined ? {} : { connects }),
  };
}

function toOther(target: NonNullable<PageLayout['otherLanguage']>, to: Language, label: string): Markup {
  if (typeof target === 'string') return html`<a href="${target}" lang="${to}" hreflang="${to}">${label}</a>`;
  if ('formId' in target) {
    const { formId, enter } = target;
    const first = html`<button type="submit" form="${formId}" name="${enter.name}" value="${enter.value}" hidden></button>`;
    return html`${first}<button class="link" type="submit" form="${formId}" name="lang" value="${to}" lang="${to}">${label}</button>`;
  }
  return html`<form method="post" action="${target.action}">${target.fields}<input type="hidden" name="lang" value="${to}"><button class="link" type="submit" lang="${to}">${label}</button></form>`;
}
