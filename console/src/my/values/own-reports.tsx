// What the patient, or a proxy, has reported, the newest first: to be taken away where it was wrong.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { Observation } from 'fhir/r5';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { actingFor } from '../../api/acting.ts';
import { deleteAt } from '../../api/fhir.ts';
import { Problem } from '../../api/problem.ts';
import { type OwnReport, ownReportsIn } from '../../clinical/values.ts';
import { useAmountText } from '../../i18n/band-text.ts';
import { momentText } from '../../i18n/format.ts';
import { ActDialog } from '../../shared/act-dialog.tsx';
import { ErrorCard } from '../../shell/error-card.tsx';

const MOST = 10;

export function OwnReports({ observations }: { readonly observations: readonly Observation[] }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState<OwnReport>();
  const words = useReportWords();
  const reports = ownReportsIn(observations);
  const shown = reports.slice(0, MOST);
  if (shown.length === 0) return null;
  return (
    <section className="card" aria-labelledby="own-reports">
      <h2 id="own-reports">{t(actingFor() === undefined ? 'values.mine.title' : 'values.mine.titleOfOther')}</h2>
      <ul>
        {shown.map((report) => (
          <li key={report.id}>
            {words(report)}{' '}
            <button
              type="button"
              className="plain-button"
              aria-label={t('values.mine.removeNamed', { what: words(report) })}
              onClick={() => setOpen(report)}
            >
              {t('values.mine.remove')}
            </button>
          </li>
        ))}
      </ul>
      {reports.length > MOST && <p className="quiet">{t('values.mine.more', { count: MOST })}</p>}
      {open !== undefined && <RemoveDialog id={open.id} what={words(open)} onClose={() => setOpen(undefined)} />}
    </section>
  );
}

function useReportWords(): (report: OwnReport) => string {
  const { t } = useTranslation();
  const amount = useAmountText();
  return ({ at, isByProxy, series, remarks }) => {
    const values = [
      ...series.flatMap(({ name, unit, readings }) => readings.map((each) => `${name}: ${amount(each, unit)}`)),
      ...remarks.map(({ name, text }) => {
        const said = typeof text === 'boolean' ? t(text ? 'form.yes' : 'form.no') : text;
        return `${name}: ${said}`;
      }),
    ];
    return [...values, momentText(at), ...(isByProxy ? [t('values.mine.byProxy')] : [])].join(', ');
  };
}

interface RemoveDialogProps {
  readonly id: string;
  readonly what: string;
  readonly onClose: () => void;
}

function RemoveDialog({ id, what, onClose }: RemoveDialogProps) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => deleteAt(`/engine/api/v1/Observation/${id}`),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['observations'] });
      onClose();
      // What was said of values that were sent is over.
      await navigate({ to: '/my/values', replace: true, state: { doneWithValues: 'removed' } });
    },
  });
  const { error } = remove;
  const isUsed = error instanceof Problem && error.status === 409;
  return (
    <ActDialog
      title={t('values.mine.question')}
      confirm={t('values.mine.remove')}
      cancel={t('values.mine.keep')}
      act={remove}
      isReady={!isUsed}
      onClose={onClose}
      failure={
        error !== null &&
        (isUsed ? (
          <p className="bad" role="alert">
            {t('values.mine.used')}
          </p>
        ) : (
          <ErrorCard error={error} />
        ))
      }
    >
      <p>{what}</p>
      <p>{t('values.mine.effect')}</p>
    </ActDialog>
  );
}
