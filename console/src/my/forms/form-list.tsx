// Forms in a list, each with its state and when it is due.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { DispatchShapes } from '../../api/shapes.ts';
import { dayText } from '../../i18n/format.ts';

export type PatientForm = DispatchShapes['PatientForm'];

export function FormList({ forms }: { readonly forms: readonly PatientForm[] }) {
  const { t } = useTranslation();
  return (
    <ul className="cards">
      {forms.map((form) => (
        <li key={form.patient_form_guid} className="card">
          <div className="row">
            <Link to={`/my/forms/${form.patient_form_guid}`}>{form.title}</Link>
            <span className={form.status === 'answered' ? 'badge' : 'badge strong'}>{t(`forms.${form.status}`)}</span>
          </div>
          {form.status !== 'answered' && form.due !== null && (
            <p className="quiet">
              {isPast(form.due) ? t('forms.overdue', { day: dayText(form.due) }) : t('forms.due', { day: form.due })}
            </p>
          )}
          {form.answered_at !== null && (
            <p className="quiet">{t('forms.answeredAt', { day: dayText(form.answered_at) })}</p>
          )}
        </li>
      ))}
    </ul>
  );
}

function isPast(day: string): boolean {
  return day < dayText(new Date().toISOString());
}
