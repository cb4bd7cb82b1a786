// The text of a issue in a form.
import { useTranslation } from 'react-i18next';
import type { FormIssue } from './issues.ts';

export function useIssueText(): (issue: FormIssue) => string {
  const { t } = useTranslation();
  return ({ kind, limit = '' }) => t(`form.issue.${kind}`, { limit });
}
