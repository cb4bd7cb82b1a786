// Why the library refused a change: it belongs to another organisation, or is in use. The rest is as everywhere.
import { useTranslation } from 'react-i18next';
import { Problem } from '../../../api/problem.ts';
import { OvertakenError } from '../../../shared/change/use-change.ts';
import { ErrorCard } from '../../../shell/error-card.tsx';

const WORDS: Readonly<Record<number, 'notYours' | 'inUse' | 'gone' | 'overtaken'>> = {
  403: 'notYours',
  404: 'gone',
  409: 'inUse',
  412: 'overtaken',
};

export function LibraryFailure({ error }: { readonly error: unknown }) {
  const { t } = useTranslation();
  const word = wordOf(error);
  if (word === undefined) return <ErrorCard error={error} />;
  return (
    <p className="alert" role="alert">
      {t(`planner.library.failure.${word}`)}
    </p>
  );
}

function wordOf(error: unknown) {
  if (error instanceof OvertakenError) return 'overtaken';
  return error instanceof Problem ? WORDS[error.status] : undefined;
}
