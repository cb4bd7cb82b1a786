// The answers of a form, to be read before they are sent. A number that is not usual is pointed out.
import type { QuestionnaireResponseItem } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { AnswerFacts } from '../../forms/answer-facts.tsx';
import { isUnusual } from '../../forms/expected.ts';
import type { Filled } from '../../forms/filled.ts';
import { type Answer, type FormItem, labelOf } from '../../forms/form.ts';
import { toResponseItems } from '../../forms/response.ts';
import { currentLanguage } from '../../i18n/i18n.ts';

interface AnswersProps {
  readonly items: readonly FormItem[];
  readonly filled: Filled;
}

export function Answers({ items, filled }: AnswersProps) {
  const { t } = useTranslation();
  const known = new Map(allItems(items).map((item) => [item.link_id, item]));
  const response = toResponseItems(items, filled);
  const unusual = unusualIn(response, known);
  return (
    <>
      <AnswerFacts response={{ item: labelled(response, known) }} />
      {unusual.length > 0 && (
        <p className="bad">{t('caregiver.report.unusual', { what: unusual.join(', '), count: unusual.length })}</p>
      )}
    </>
  );
}

function allItems(items: readonly FormItem[]): FormItem[] {
  return items.flatMap((item) => [item, ...allItems(item.items ?? [])]);
}

type Known = ReadonlyMap<string, FormItem>;

function nameOf(linkId: string, known: Known): string {
  const item = known.get(linkId);
  return item === undefined ? linkId : labelOf(item, currentLanguage());
}

/** With the questions as they were asked. */
function labelled(items: readonly QuestionnaireResponseItem[], known: Known): QuestionnaireResponseItem[] {
  return items.map(({ item, answer, ...each }) => ({
    ...each,
    text: nameOf(each.linkId, known),
    ...(item === undefined ? {} : { item: labelled(item, known) }),
    ...(answer === undefined
      ? {}
      : {
          answer: answer.map((given) =>
            given.item === undefined ? given : { ...given, item: labelled(given.item, known) },
          ),
        }),
  }));
}

function unusualIn(items: readonly QuestionnaireResponseItem[], known: Known): string[] {
  return items.flatMap(({ linkId, answer = [], item = [] }) => {
    const asked = known.get(linkId);
    const isOut = asked !== undefined && answer.some((given) => isUnusual(asked, given as unknown as Answer));
    return [...(isOut ? [nameOf(linkId, known)] : []), ...unusualIn(item, known)];
  });
}
