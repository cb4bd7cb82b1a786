// The patient's first screen: what is to be done, and what is planned today.
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { weekOf } from '../clinical/care-plan.ts';
import { StepList } from '../clinical/step-list.tsx';
import { momentWords } from '../clinical/timing.ts';
import { dayOf } from '../clinical/week-days.ts';
import { longDayText } from '../i18n/format.ts';
import { Loaded } from '../shell/loaded.tsx';
import { Empty, Page } from '../shell/page.tsx';
import { FormList } from './forms/form-list.tsx';
import { News } from './news.tsx';
import { Invitations } from './proxies/invitations.tsx';
import { useMayReport, useProxies } from './proxies/use-proxies.ts';
import { useForms, usePlans } from './queries.ts';
import { measuresOf } from './values/measures.ts';

const MOST_FORMS = 3;

export function Overview() {
  const { t } = useTranslation();
  const today = new Date();
  const mayReport = useMayReport();
  const [forms, plans, proxies] = [useForms(), usePlans(), useProxies()];
  return (
    <Page title={t('overview.title')}>
      <Invitations received={proxies.data?.received ?? []} />
      <News />
      <h2>{t('overview.toDo')}</h2>
      <Loaded query={forms}>
        {({ data }) => {
          const open = data.filter(({ status }) => status !== 'answered');
          if (open.length === 0) return <Empty>{t('overview.nothingToDo')}</Empty>;
          return (
            <>
              <FormList forms={open.slice(0, MOST_FORMS)} />
              {open.length > MOST_FORMS && <Link to="/my/forms">{t('overview.allForms', { count: open.length })}</Link>}
            </>
          );
        }}
      </Loaded>
      <h2>{t('overview.today', { day: longDayText(today) })}</h2>
      <Loaded query={plans}>
        {({ plans: all, contexts }) => {
          const { everyDay, days } = weekOf(all);
          const steps = [...everyDay, ...(days.find(({ day }) => day === dayOf(today))?.steps ?? [])];
          if (all.length === 0) return <Empty>{t('plan.none')}</Empty>;
          return (
            <div className="card">
              {steps.length === 0 ? (
                <p>{t('overview.nothingToday')}</p>
              ) : (
                <StepList steps={steps} words={momentWords} />
              )}
              {mayReport && measuresOf(contexts).length > 0 && (
                <p>
                  <Link to="/my/values/new">{t('values.report.title')}</Link>
                </p>
              )}
              <p>
                <Link to="/my/plan">{t('overview.wholePlan')}</Link>
              </p>
            </div>
          );
        }}
      </Loaded>
    </Page>
  );
}
