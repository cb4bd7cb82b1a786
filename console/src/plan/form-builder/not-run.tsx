// Expressions of the form that nothing here evaluates, each with its place. It is a warning, since the form can be
// published nevertheless, and does then less than its author meant.
import type { Questionnaire } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { notGivenOf } from '../../../../fhir/forms/questionnaire/launch-context.ts';
import { notRunOf } from '../../../../fhir/forms/questionnaire/not-run.ts';
import { useBuilder, useTitleOf } from './builder-context.ts';
import { everyItem } from './model/tree.ts';

export function NotRun({ form }: { readonly form: Questionnaire }) {
  const { t } = useTranslation();
  const { items, open } = useBuilder();
  const titleOf = useTitleOf();
  const notGiven = notGivenOf({ extension: form.extension, item: items });
  const found = [
    ...(notRunOf({ extension: form.extension }, notGiven) ?? []).map((each) => ({ ...each, item: undefined })),
    ...everyItem(items).flatMap((item) =>
      (notRunOf({ extension: item.extension }, notGiven) ?? []).map((each) => ({ ...each, item })),
    ),
  ];
  if (found.length === 0) return null;
  return (
    <div className="note" role="status">
      <p>{t('formBuilder.notRun.title', { count: found.length })}</p>
      <ul>
        {found.map(({ use, language, missing, item }) => (
          <li key={`${item?.linkId} ${use} ${language} ${missing}`}>
            {item === undefined ? (
              t('formBuilder.formItself')
            ) : (
              <button type="button" className="link-button" onClick={() => open(item.linkId)}>
                {titleOf(item)}
              </button>
            )}
            : <code>{use}</code>{' '}
            {missing === undefined
              ? language !== undefined && t('formBuilder.notRun.in', { language })
              : t('formBuilder.notRun.missing', { missing })}
          </li>
        ))}
      </ul>
      <p className="quiet">{t('formBuilder.notRun.effect')}</p>
    </div>
  );
}
