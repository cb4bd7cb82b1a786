// A page that lets users choose one of very many items, such as organisations, without scripts. It has a search by name
// and shows the first results as links to the next step.
import type { FastifyReply } from 'fastify';
import { alertText, hiddenField, textField } from '#lib/html/form.ts';
import { html, type Markup, type Page, sendPage } from '#lib/html/html.ts';
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

/** Where the visitor is in a choice. */
export interface ChoiceState {
  readonly journey: Journey;
  readonly search: string;
  readonly isGone: boolean;
}

type Find<T> = (text: string, limit: number) => Promise<{ readonly found: readonly T[]; readonly total: number }>;

/**
 * Sends the page of a choice with the first items that match its search text; the total counts beyond them. The status
 * is 404 when the chosen item no longer exists.
 */
export async function sendChoices<T, State extends ChoiceState>(
  reply: FastifyReply,
  state: State,
  step: {
    readonly find: Find<T>;
    readonly toChoice: (item: T) => Choice;
    readonly page: (choice: State & Pick<ChoiceStep, 'choices'>) => Page;
  },
): Promise<FastifyReply> {
  const { found, total } = await step.find(state.search.trim(), CHOICES_SHOWN);
  const choices = { found: found.map(step.toChoice), total };
  return sendPage(reply.code(state.isGone ? 404 : 200), step.page({ ...state, choices }));
}

interface Organisation {
  readonly organisationGuid: string;
  readonly name: string;
}

export function organisationChoice(organisation: Organisation): Choice {
  return { guid: organisation.organisationGuid, name: organisation.name };
}

/** The chosen organisation; undefined when there is none with this guid. */
export async function findOrganisationChoice(
  organisations: { readonly find: (guid: string) => Promise<Organisation | null> },
  guid: string,
): Promise<Choice | undefined> {
  const found = await organisations.find(guid);
  return found === null ? undefined : organisationChoice(found);
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
