// The issues of a form, whose list gets the focus when there are any.
import { type RefObject, useEffect, useRef, useState } from 'react';
import type { FormIssues } from './issues.ts';

const NO_ISSUES: FormIssues = new Map();

interface ShownIssues {
  readonly issues: FormIssues;
  /** Without issues the list is empty. */
  readonly setIssues: (issues?: FormIssues) => void;
  /** For the list of the issues. */
  readonly summary: RefObject<HTMLDivElement | null>;
}

export function useIssues(): ShownIssues {
  const [issues, setIssues] = useState(NO_ISSUES);
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (issues.size > 0) summary.current?.focus();
  }, [issues]);
  return { issues, setIssues: (next = NO_ISSUES) => setIssues(next), summary };
}
