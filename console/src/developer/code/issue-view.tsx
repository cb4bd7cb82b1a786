// Issues of a text, in the order of their lines; each leads to its line.
import type { RefObject } from 'react';
import { useTranslation } from 'react-i18next';
import type { TextIssue } from '../resource/issues.ts';
import type { CodeHandle } from './code-area.tsx';

const MOST = 100;

interface IssueViewProps {
  readonly id: string;
  readonly issues: readonly TextIssue[];
  readonly area: RefObject<CodeHandle | null>;
}

export function IssueView({ id, issues, area }: IssueViewProps) {
  const { t } = useTranslation();
  const sorted = [...issues].sort((a, b) => (a.line ?? 0) - (b.line ?? 0)).slice(0, MOST);
  return (
    <ul id={id} className="issue-list">
      {sorted.map(({ line, isError, text }) => (
        <li key={`${line} ${text}`}>
          {line !== undefined && (
            <button type="button" className="plain-button" onClick={() => area.current?.showLine(line)}>
              {t('developer.issue.line', { line })}
            </button>
          )}
          <span className={isError ? 'bad' : undefined}>
            {t(isError ? 'developer.issue.error' : 'developer.issue.warning')}
          </span>{' '}
          {text === undefined ? t('developer.issue.syntax') : <span lang="en">{text}</span>}
        </li>
      ))}
    </ul>
  );
}
