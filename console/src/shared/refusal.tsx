// Why a request failed, for technicians who have written it: beside the sentence that everybody gets, what the server
// says.
import { Problem } from '../api/problem.ts';
import { ErrorCard } from '../shell/error-card.tsx';

const MOST = 20;

interface RefusalProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

export function Refusal({ error, onRetry }: RefusalProps) {
  const problem = error instanceof Problem ? error : undefined;
  const texts = problem === undefined ? [] : [...new Set([problem.message, ...problem.messages])].slice(0, MOST);
  return (
    <>
      <ErrorCard error={error} onRetry={onRetry} />
      {problem !== undefined && (
        <ul lang="en">
          {texts.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </>
  );
}
