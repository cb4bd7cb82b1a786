// A screen on which planners change something. Others whom an address has led there read who may.
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { LoadedScreen } from '../shell/loaded.tsx';
import { useMe } from '../shell/me.ts';
import { Empty, Page } from '../shell/page.tsx';
import { mayPlan } from './rights.ts';

export function OnlyPlanners({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <LoadedScreen query={useMe()}>
      {(me) =>
        mayPlan(me) ? (
          children
        ) : (
          <Page title={t('planner.onlyPlanners.title')}>
            <Empty>
              {t('planner.onlyPlanners.text')} <Link to="/plan">{t('planner.onlyPlanners.back')}</Link>
            </Empty>
          </Page>
        )
      }
    </LoadedScreen>
  );
}
