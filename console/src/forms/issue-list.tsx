// The issues of a form above it, each a link to its question.
import type { Ref } from 'react';
import { useTranslation } from 'react-i18next';
import { labelled } from '../../../fhir/forms/labelled.ts';
import { currentLanguage } from '../i18n/i18n.ts';
import { type FormItem, labelOf } from './form.ts';
import { useIssueText } from './issue-text.ts';
import type { FormIssues } from './issues.ts';
import { fieldId } from './paths.ts';

interface IssueListProps {
  readonly ref: Ref<HTMLDivElement>;
  readonly items: readonly FormItem[];
  readonly issues: FormIssues;
}

export function IssueList({ ref, items, issues }: IssueListProps) {
  const { t } = useTranslation();
  const issueText = useIssueText();
  if (issues.size === 0) return null;
  return (
    <div className="alert" role="alert" tabIndex={-1} ref={ref}>
      <h2>{t('form.issues', { count: issues.size })}</h2>
      <ul>
        {[...issues].map(([path, issue]) => (
          <li key={path}>
            {path === '' ? (
              issueText(issue)
            ) : (
              <a href={`#${fieldId(path)}`}>{labelled(labelAt(items, path), issueText(issue))}</a>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The label of the question at a path, of which each part is `/<link id>.<number>`. */
function labelAt(items: readonly FormItem[], path: string): string {
  const found = items.find(
    ({ link_id: id }) => path.startsWith(`/${id}.`) && /^\d+(?:\/|$)/.test(path.slice(id.length + 2)),
  );
  if (found === undefined) return '';
  const rest = path.slice(found.link_id.length + 2).replace(/^\d+/, '');
  return rest === '' ? labelOf(found, currentLanguage()) : labelAt(found.items ?? [], rest);
}
