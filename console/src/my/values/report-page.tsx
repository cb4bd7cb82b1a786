// The patient reports values that the plan asks for: when they were measured, and what there is to measure.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isYetToCome } from '../../../../fhir/forms/yet-to-come.ts';
import { MEASURED_AT } from '../../../../fhir/plans/measured-values.ts';
import type { FormItem } from '../../forms/form.ts';
import { FormView } from '../../forms/form-view.tsx';
import { IssueList } from '../../forms/issue-list.tsx';
import { type FormIssues, issuesOf } from '../../forms/issues.ts';
import { useIssues } from '../../forms/use-issues.ts';
import { ErrorCard } from '../../shell/error-card.tsx';
import { Loaded } from '../../shell/loaded.tsx';
import { Empty, Page } from '../../shell/page.tsx';
import { useMayReport } from '../proxies/use-proxies.ts';
import { usePlans } from '../queries.ts';
import { type Measure, measuredAt, measuresOf, reportsOf } from './measures.ts';
import { useReport } from './use-report.ts';

export function ReportValuesPage() {
  const { t } = useTranslation();
  const mayReport = useMayReport();
  return (
    <Page title={t('values.report.title')}>
      <p>
        <Link to="/my/values">{t('values.report.back')}</Link>
      </p>
      <Loaded query={usePlans()}>
        {({ contexts }) => {
          const measures = measuresOf(contexts);
          if (!mayReport) return <Empty>{t('values.report.readOnly')}</Empty>;
          if (measures.length === 0) return <Empty>{t('values.report.none')}</Empty>;
          return <ReportForm measures={measures} />;
        }}
      </Loaded>
    </Page>
  );
}

const NO_CONTEXT = {};

function ReportForm({ measures }: { readonly measures: readonly Measure[] }) {
  const { t } = useTranslation();
  const items = itemsOf(measures, t);
  const { filled, arrived, send, change } = useReport(measures, items);
  const { issues, setIssues, summary } = useIssues();
  const [isEmpty, setEmpty] = useState(false);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (send.isPending) return;
    const at = measuredAt(items, filled);
    const isFuture = at !== undefined && isYetToCome(at, { now: Date.now() });
    const future = { kind: 'constraint', limit: t('values.report.future') } as const;
    const found: FormIssues = new Map([
      ...(isFuture ? [[`/${MEASURED_AT}.0`, future] as const] : []),
      ...issuesOf(items, filled),
    ]);
    setIssues(found);
    const isNothing = reportsOf(measures, { items, filled, now: '' }).length === 0;
    setEmpty(isNothing && found.size === 0);
    if (found.size === 0 && !isNothing) send.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <p>{t('values.report.lead')}</p>
      <IssueList ref={summary} items={items} issues={issues} />
      <FormView
        form={{ items }}
        filled={filled}
        issues={issues}
        isReadOnly={false}
        context={NO_CONTEXT}
        onChange={change}
      />
      {isEmpty && (
        <p className="bad" role="alert">
          {t('values.report.empty')}
        </p>
      )}
      {send.error !== null && <ErrorCard error={send.error} />}
      {send.error !== null && arrived > 0 && <p className="note">{t('values.report.some', { count: arrived })}</p>}
      <p className="actions">
        <Button type="submit" loading={send.isPending}>
          {t('values.report.send')}
        </Button>
      </p>
    </form>
  );
}

/** What is measured every week comes first; where there is nothing else, it needs no heading. */
function itemsOf(measures: readonly Measure[], t: TFunction): FormItem[] {
  const asked = { required: false, repeats: false, read_only: false } as const;
  const group = (id: string, label: string, own: readonly Measure[]): FormItem[] =>
    own.length === 0 ? [] : [{ ...asked, link_id: id, type: 'group', label, items: own.map(({ item }) => item) }];
  return [
    {
      ...asked,
      link_id: MEASURED_AT,
      type: 'dateTime',
      asked: true,
      label: t('values.report.when'),
      answer_element: 'valueDateTime',
    },
    ...group(
      'often',
      t('values.report.often'),
      measures.filter(({ isOften }) => isOften),
    ),
    ...group(
      'rare',
      t('values.report.rare'),
      measures.filter(({ isOften }) => !isOften),
    ),
  ];
}
