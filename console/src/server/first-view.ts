// The parts of a page with a first view. The policy of the page forbids style attributes, so what components set there
// becomes rules of a style sheet with the page's nonce. The browser moves them back (../app/hydration.ts).
import type { RenderedView } from '../../../gateway/console/rendered-view.ts';
import type { FirstState } from '../app/hydration.ts';

const TITLE = /^<title>[^<]*<\/title>/;
/** React escapes quotes everywhere else. */
const STYLE = / style="([^"]*)"/g;
/** A part that has failed, or that is not there yet. */
const UNDONE = /<!--\$[!?]-->/;
/** Nothing that ends a rule, a string, or the element. */
const PLAIN_STYLE = /^[\w\s:;#.,%()/+*-]*$/;

/** Undefined where a part is not whole, and for a style that cannot be a rule. */
export function viewOf(rendered: string, state: FirstState): RenderedView | undefined {
  if (UNDONE.test(rendered)) return undefined;
  const [title = ''] = TITLE.exec(rendered) ?? [];
  const styles = new Set<string>();
  const html = rendered.slice(title.length).replaceAll(STYLE, (_, style: string) => {
    styles.add(style);
    return ` data-style="${style}"`;
  });
  if (![...styles].every((style) => PLAIN_STYLE.test(style))) return undefined;
  return {
    title,
    styles: [...styles].map((style) => `#root [data-style="${style}"]{${style}}`).join(''),
    html,
    state: JSON.stringify(state).replaceAll('<', '\\u003c'),
  };
}
