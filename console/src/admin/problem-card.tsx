// Why an act of an administrator failed. Administrators get the service's own words beside the usual sentence: those
// name the field or the rule.
import { useTranslation } from 'react-i18next';
import { Problem } from '../api/problem.ts';
import { isRefusal } from '../app/request-key.ts';
import { ErrorCard } from '../shell/error-card.tsx';

export function ProblemCard({ error }: { readonly error: Error }) {
  const { t } = useTranslation();
  const details = error instanceof Problem && isRefusal(error) ? wordsOf(error) : [];
  return (
    <>
      <ErrorCard error={error} />
      {details.length > 0 && (
        <details>
          <summary>{t('admin.problemDetails')}</summary>
          <ul lang="en">
            {details.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function wordsOf({ message, messages }: Problem): readonly string[] {
  return messages.length > 0 ? messages : [message];
}
