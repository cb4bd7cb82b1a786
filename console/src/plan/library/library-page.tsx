// The library: plans that are published, and what they are made of. Each tab is an address.
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { TabLinks } from '../../shared/tab-links.tsx';
import { Page } from '../../shell/page.tsx';
import { FormList } from '../form-builder/form-list.tsx';
import { OnlyPlanners } from '../only-planners.tsx';
import { Activities } from './activities.tsx';
import { Concepts } from './concepts.tsx';
import { Goals } from './goals.tsx';
import { PlanBuilder } from './plan-builder.tsx';
import { PlanList } from './plan-list.tsx';

const TABS = ['plans', 'forms', 'activities', 'goals', 'concepts'] as const;

export function LibraryPage() {
  return (
    <OnlyPlanners>
      <Library />
    </OnlyPlanners>
  );
}

function Library() {
  const { t } = useTranslation();
  const { tab: named } = useParams({ strict: false }) as { tab?: string };
  const tab = [...TABS, 'new' as const].find((each) => each === named) ?? 'plans';
  return (
    <Page title={t('planner.library.title')}>
      <TabLinks
        label={t('planner.library.tabs')}
        tabs={TABS}
        root="/plan/library"
        textOf={(each) => t(`planner.library.tab.${each}`)}
      />
      <h2>{t(`planner.library.tab.${tab}`)}</h2>
      {tab === 'plans' && <PlanList />}
      {tab === 'new' && <PlanBuilder />}
      {tab === 'forms' && <FormList />}
      {tab === 'activities' && <Activities />}
      {tab === 'goals' && <Goals />}
      {tab === 'concepts' && <Concepts />}
    </Page>
  );
}
