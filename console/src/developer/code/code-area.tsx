// A text of many lines to be edited, with their numbers, and marks at those with issues.
import { type Ref, useImperativeHandle, useRef } from 'react';
import './code.css';
import { rangeOfLine } from './lines.ts';

export interface CodeHandle {
  /** Selects a line, and brings it into sight. */
  showLine(line: number): void;
}

interface CodeAreaProps {
  readonly ref?: Ref<CodeHandle>;
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Lines with issues, from 1. */
  readonly marked?: ReadonlySet<number>;
  readonly describedBy?: string | undefined;
}

export function CodeArea({ ref, label, value, onChange, marked = NONE, describedBy }: CodeAreaProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const numbers = useRef<HTMLPreElement>(null);
  const count = value.split('\n').length;
  const follow = () => {
    if (numbers.current !== null) numbers.current.scrollTop = area.current?.scrollTop ?? 0;
  };
  useImperativeHandle(ref, () => ({
    showLine(line) {
      const element = area.current;
      if (element === null) return;
      const [start, end] = rangeOfLine(element.value, line);
      element.focus();
      element.setSelectionRange(start, end);
      element.scrollTop = (element.scrollHeight / element.value.split('\n').length) * Math.max(0, line - 4);
      follow();
    },
  }));
  return (
    <div className="code-area">
      <pre ref={numbers} aria-hidden="true" className="code-numbers code-text">
        {Array.from({ length: count }, (_, at) => (marked.has(at + 1) ? `✕ ${at + 1}` : `${at + 1}`)).join('\n')}
      </pre>
      <textarea
        ref={area}
        className="code-text"
        aria-label={label}
        aria-describedby={describedBy}
        aria-invalid={marked.size > 0}
        value={value}
        wrap="off"
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="off"
        onScroll={follow}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    </div>
  );
}

const NONE: ReadonlySet<number> = new Set();
