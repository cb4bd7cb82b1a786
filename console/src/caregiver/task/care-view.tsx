// What the task asks for: notes of the requester, goals, what is done and how often, what is measured, and forms.
import { useTranslation } from 'react-i18next';
import { ActivityList } from '../../clinical/activity-list.tsx';
import { labelOf } from '../../forms/form.ts';
import { dayText } from '../../i18n/format.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { Loaded } from '../../shell/loaded.tsx';
import { type Details, useDetails } from '../details.ts';

export function CareView({ guid }: { readonly guid: string }) {
  const { t } = useTranslation();
  return (
    <section className="card" aria-labelledby="care">
      <h2 id="care">{t('caregiver.care.title')}</h2>
      <Loaded query={useDetails(guid, true)}>{(details) => <Care details={details} />}</Loaded>
    </section>
  );
}

function Care({ details }: { readonly details: Details }) {
  const { t } = useTranslation();
  const { plan, notes, forms, measures, isUrgent } = details;
  return (
    <>
      {isUrgent && <p className="bad">{t('caregiver.care.urgent')}</p>}
      {notes.map((note) => (
        <p key={note}>
          <strong>{t('caregiver.care.note')}</strong> {note}
        </p>
      ))}
      {plan.start !== undefined && (
        <p>{t('plan.period', { from: dayText(plan.start), to: plan.end === undefined ? '…' : dayText(plan.end) })}</p>
      )}
      <h3>{t('caregiver.care.goals')}</h3>
      {plan.goals.length === 0 ? (
        <p className="quiet">{t('caregiver.care.noGoals')}</p>
      ) : (
        <ul>
          {plan.goals.map(({ id, text }) => (
            <li key={id}>{text}</li>
          ))}
        </ul>
      )}
      <h3>{t('caregiver.care.activities')}</h3>
      {plan.activities.length === 0 && <p className="quiet">{t('caregiver.care.noActivities')}</p>}
      <ActivityList activities={plan.activities} />
      {(measures !== undefined || forms.length > 0) && (
        <>
          <h3>{t('caregiver.care.toReport')}</h3>
          <ul>
            {measures !== undefined && <li>{titleOf(measures.form)}</li>}
            {forms.map((form) => (
              <li key={form.form_guid}>{titleOf(form)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

export function titleOf({
  title,
  translations,
}: {
  readonly title: string;
  readonly translations?: Readonly<Record<string, string>>;
}): string {
  return labelOf({ label: title, ...(translations === undefined ? {} : { translations }) }, currentLanguage());
}
