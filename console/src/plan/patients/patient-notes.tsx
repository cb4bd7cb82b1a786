// What must be known before anything is done about the patient: whose record it is, and that it is not as others are.
import { Link, useRouterState } from '@tanstack/react-router';
import type { Patient } from 'fhir/r5';
import { useTranslation } from 'react-i18next';
import { dayText } from '../../i18n/format.ts';
import { notesOf } from './patient.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The reader was about to make a record, and the number has this one. */
    isKnownRecord?: boolean;
  }
}

export function PatientNotes({ patient }: { readonly patient: Patient }) {
  const { t } = useTranslation();
  const isKnown = useRouterState({ select: ({ location }) => location.state.isKnownRecord === true });
  const { isProtected, death, replacedBy, isInactive } = notesOf(patient);
  return (
    <>
      {isKnown && (
        <p className="note" role="status">
          {t('planner.patient.note.known')}
        </p>
      )}
      {isProtected && <p className="note">{t('planner.patient.note.protected')}</p>}
      {death !== undefined && (
        <p className="note">
          {death === true
            ? t('planner.patient.note.deceased')
            : t('planner.patient.note.deceasedOn', { day: dayText(death) })}
        </p>
      )}
      {(isInactive || replacedBy !== undefined) && (
        <p className="note">
          {t('planner.patient.note.inactive')}{' '}
          {replacedBy !== undefined && (
            <Link to="/plan/patients/$id" params={{ id: replacedBy }}>
              {t('planner.patient.note.replacement')}
            </Link>
          )}
        </p>
      )}
    </>
  );
}
