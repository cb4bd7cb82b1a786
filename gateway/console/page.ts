// Fills in the page that the build left: the reader's language and look, the first view and what it shows.
import { html } from '#lib/html/html.ts';
import { EARLY_SCRIPT, EARLY_STYLE } from './early.ts';
import messages from './page.messages.json' with { type: 'json' };
import type { RenderedView } from './rendered-view.ts';
import { offsetOf, type ReaderView } from './view.ts';

interface PageContent {
  readonly view: ReaderView;
  readonly nonce: string;
  /** Undefined where the console makes the view in the browser. */
  readonly first: RenderedView | undefined;
}

/** @param page with the places `__HEAD__`, `__ROOT__`, `__STATE__`, `__NO_SCRIPT__` and `__NONCE__` */
export function pageWith(page: string, { view, nonce, first }: PageContent): string {
  const { language, colorScheme } = view;
  const rendered = first === undefined ? '' : ` data-view="${[language, colorScheme, offsetOf(view)].join('.')}"`;
  const parts: Readonly<Record<string, string>> = {
    '<html lang="sv">': `<html lang="${language}"${rendered}>`,
    __HEAD__: `<script>${EARLY_SCRIPT}</script>${headOf(first, nonce)}`,
    __ROOT__: first?.html ?? '',
    __STATE__: first === undefined ? '' : `<script type="application/json" id="first-view">${first.state}</script>`,
    __NO_SCRIPT__: html`${messages.noScript[language]}`.markup,
    __NONCE__: nonce,
  };
  // Once through: what is filled in is not looked at again.
  return page.replaceAll(/<html lang="sv">|__(?:HEAD|ROOT|STATE|NO_SCRIPT|NONCE)__/g, (place) => parts[place] ?? '');
}

function headOf(first: RenderedView | undefined, nonce: string): string {
  return first === undefined ? '' : `<style nonce="${nonce}">${EARLY_STYLE}${first.styles}</style>${first.title}`;
}
