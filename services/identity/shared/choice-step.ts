// A page that lets users choose one of very many items, such as organisations, without scripts. It has a search by name
// and shows the first results as links to the next step.
import { alertText, hiddenField, textField } from '#lib/html/form.ts';
import { html, type Markup, type Page } from '#lib/html/html.ts';
import { renderLayout } from '#lib/html/layout.ts';
import { translator } from '#lib/html/messages.ts';
import messages from './choice-step.messages.json' with { type: 'json' };
import { inOtherLanguage, type Journey, journeyHref, journeyInputs } from './journey.ts';

/** The maximum of choices on a page. */
const CHOICES_SHOWN = 20;

export interface Choice {
  readonly guid: string;
  readonly name: string;
}

export interface ChoiceStep {
  readonly journey: Journey;
  /** The page's own address, relative. */
  readonly page: string;
  readonly title: string;
  readonly step: string;
  /** The text that says what the choice is for. */
  readonly lead: string;
  readonly searchLabel: string;
  /** The query parameter of the chosen item. */
  readonly parameter: string;
  /** The choices of earlier steps, by query parameter. */
  readonly before?: Readonly<Record<string, string>>;
  readonly search: string;
  readonly choices: { readonly found: readonly Choice[]; readonly total: number };
  /** Whether the chosen item no longer exists. */
  readonly isGone?: boolean;
}

/** The first choices that match a search text; the total counts beyond them. */
export async function findChoices<T>(
  search: string,
  find: (text: string, limit: number) => Promise<{ readonly found: readonly T[]; readonly total: number }>,
  toChoice: (item: T) => Choice,
): Promise<ChoiceStep['choices']> {
  const { found, total } = await find(search.trim(), CHOICES_SHOWN);
  return { found: found.map(toChoice), total };
}

export function organisationChoice(organisation: { readonly organisationGuid: string; readonly name: string }): Choice {
  return { guid: organisation.organisationGuid, name: organisation.name };
}

export function choicePage(choice: ChoiceStep): Page {
  const { journey, page, title, search, before = {}, isGone = false } = choice;
  const { language } = journey;
  const text = translator(messages, language);
  const carried = Object.entries(before).map(([name, value]) => hiddenField(name, value));
  const content = html`<p class="step">${choice.step}</p>
<h1>${title}</h1>
<p>${choice.lead}</p>
${isGone && alertText(text('gone'))}<form class="search" method="get" action="${page}" role="search">
${journeyInputs(journey)}${carried}
${textField({ name: 'search', type: 'search', label: choice.searchLabel, autocomplete: 'off', value: search, isOptional: true })}
<button class="button quiet" type="submit">${text('search')}</button>
</form>
${choicesOf(choice)}`;
  const otherLanguage = journeyHref(page, inOtherLanguage(journey), {
    ...before,
    ...(search === '' ? {} : { search }),
  });
  return renderLayout({ language, title, content, otherLanguage, hasErrors: isGone });
}

function choicesOf({ journey, page, parameter, before, search, choices }: ChoiceStep): Markup {
  const text = translator(messages, journey.language);
  const { found, total } = choices;
  if (found.length === 0) return html`<p role="status">${search === '' ? text('empty') : text('none', { search })}</p>`;
  const status = total > found.length ? text('some', { n: found.length, total }) : text('all');
  const items = found.map(({ guid, name }) => {
    const href = journeyHref(page, journey, { ...before, [parameter]: guid });
    return html`<li><a href="${href}">${name}<span aria-hidden="true">›</span></a></li>
`;
  });
  return html`<p class="note" role="status">${status}</p>
<ul class="choices">${items}</ul>`;
}

/** The choice of an earlier step, with a link to choose again. */
export function chosenBox(chosen: { label: string; name: string; changeLabel: string; href: string }): Markup {
  return html`<div class="chosen"><p><small>${chosen.label}</small>${chosen.name}</p><a href="${chosen.href}">${chosen.changeLabel}</a></div>
`;
}
