// Server-rendered pages: a template tag that escapes every value, and the page around the content. Its
// Content-Security-Policy (w3.org/TR/CSP3) is strict: it allows one style sheet and at most one script, each by its
// hash.
import type { FastifyReply } from 'fastify';
import { sha256 } from '../crypto/secret.ts';

/** Markup that is safe to send; made only by the `html` tag. */
export interface Markup {
  readonly markup: string;
}

type Content = Markup | string | number | false | undefined | readonly Content[];

export type Language = 'sv' | 'en';

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Builds markup; interpolated text is escaped, lists are joined, `false` and undefined vanish. Quote every attribute.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Markup {
  const parts = strings.map((text, index) => (index === 0 ? text : render(values[index - 1]) + text));
  return { markup: parts.join('') };
}

/**
 * Swedish or English: the `lang` parameter when it names one of them, else the better of Accept-Language (RFC 9110
 * §12.5.4).
 */
export function chooseLanguage(parameter: unknown, acceptLanguage: string | undefined): Language {
  if (parameter === 'sv' || parameter === 'en') return parameter;
  const ranked = (acceptLanguage ?? '')
    .split(',')
    .map((entry) => {
      const [tag = '', ...parameters] = entry.trim().toLowerCase().split(';');
      const quality = parameters.map((text) => text.trim()).find((text) => text.startsWith('q='));
      return { tag: tag.split('-')[0], quality: quality === undefined ? 1 : Number(quality.slice(2)) };
    })
    .filter(({ tag, quality }) => (tag === 'sv' || tag === 'en') && quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return ranked[0]?.tag === 'en' ? 'en' : 'sv';
}

export interface Page {
  readonly language: Language;
  readonly title: string;
  readonly style: string;
  readonly body: Markup;
  /** Origins that the page's forms may lead to besides its own (`form-action`). */
  readonly formTargets?: readonly string[];
  /** A script of our own, which the page must do without where scripts are off. */
  readonly script?: string;
  /** Whether the script sends requests to its own origin (`connect-src`). */
  readonly connects?: true;
}

/** Sends the page, never cached and never framed. */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  const formAction = ["'self'", ...(page.formTargets ?? [])].join(' ');
  const policy = [
    "default-src 'none'",
    `style-src '${hashOf(page.style)}'`,
    ...(page.script === undefined ? [] : [`script-src '${hashOf(page.script)}'`]),
    ...(page.connects === true ? ["connect-src 'self'"] : []),
    "img-src 'self' data:",
    `form-action ${formAction}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ];
  return reply
    .headers({
      'content-security-policy': policy.join('; '),
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(document(page));
}

function document(page: Page): string {
  const head = html`<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,"><title>${page.title}</title>`;
  // Style sheet and script are our own text, and their hashes in the policy are taken over exactly these characters.
  const script = page.script === undefined ? '' : `<script>${page.script}</script>`;
  return `<!doctype html><html lang="${page.language}"><head>${head.markup}<style>${page.style}</style></head><body>${page.body.markup}${script}</body></html>`;
}

/** As a source of the policy. */
function hashOf(text: string): string {
  return `sha256-${sha256(text).toString('base64')}`;
}

function render(value: Content): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'string') return value.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
  if (typeof value === 'number') return String(value);
  return isMarkup(value) ? value.markup : value.map(render).join('');
}

function isMarkup(value: Markup | readonly Content[]): value is Markup {
  return 'markup' in value;
}
